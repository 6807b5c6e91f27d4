/** The client's connection and request: IP address, ISP and measurements, HTTP and headers. */
import * as z from 'zod';
import { fieldOf, integerField, numberField, textField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const Address = z.object({
  ip: textField('IP address', "Client's public IP address"),
  ipVersion: fieldOf(z.literal([4, 6]).nullable())('IP version', "Version of the client's IP address: 4 or 6"),
});
export type Address = z.infer<typeof Address>;

export const Port = integerField('Source port', 'Source port of the client connection; null if a proxy hides it');

export const Network = z
  .object({
    asn: integerField('ASN', 'Autonomous system number'),
    asOrganization: textField('Organization', 'Organization that operates the autonomous system, usually the ISP'),
    colo: textField('Edge data center', 'IATA code of the edge data center that handled the request'),
    clientTcpRttMs: numberField(
      'Round-trip time, TCP',
      'Smoothed RTT in milliseconds; TCP only (HTTP/1.1, HTTP/2), null if not measured',
      ' ms',
    ),
    clientQuicRttMs: numberField(
      'Round-trip time, QUIC',
      'Smoothed RTT in milliseconds; HTTP/3 only, null if not measured',
      ' ms',
    ),
    deliveryRateBps: numberField('Delivery rate', 'Most recent delivery rate in bytes per second', ' bytes/s'),
  })
  .meta({ id: 'Network', description: 'ISP, ASN and measurements of the client connection' });
export type Network = z.infer<typeof Network>;

export function address({ ip }: Pick<ObservedRequest, 'ip'>): Address {
  return { ip, ipVersion: ip === null ? null : ip.includes(':') ? 6 : 4 };
}

export function network(observed: ObservedRequest): Network {
  const { asn, asOrganization } = observed.autonomousSystem;
  const { clientTcpRttMs, clientQuicRttMs, deliveryRateBps } = observed.transport;
  return { asn, asOrganization, colo: observed.colo, clientTcpRttMs, clientQuicRttMs, deliveryRateBps };
}

export const Http = z
  .object({
    protocol: textField('HTTP version', 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3'),
    method: fieldOf(z.string())('Method', 'Request method, such as GET'),
    priority: textField('Request priority', 'Priority the client requested (RFC 9218)'),
    acceptEncoding: textField('Accepted compression', 'Compression methods the client accepts, as sent'),
    connection: integerField(
      'Request on this connection',
      'Number of this request on its connection: 1, 2 and so on; null if a proxy hides the connection',
    ),
  })
  .meta({ id: 'Http', description: 'HTTP version and properties of the request' });
export type Http = z.infer<typeof Http>;

export function http(observed: ObservedRequest): Http {
  const { protocol, method, priority, acceptEncoding, requestNumber } = observed;
  return { protocol, method, priority, acceptEncoding, connection: requestNumber };
}

const HeaderMap = z.record(z.string(), z.string());

export const RequestHeaders = z
  .object({
    headers: fieldOf(HeaderMap)(
      'Request headers',
      'Headers the client sent; names in lower case, repeated headers joined',
    ),
    edgeHeaders: fieldOf(HeaderMap)('Edge headers', 'Headers added by the edge in front of the service'),
  })
  .meta({ id: 'RequestHeaders', description: 'Request headers, and headers added by the edge' });
export type RequestHeaders = z.infer<typeof RequestHeaders>;

export const headers = ({ headers, edgeHeaders }: ObservedRequest): RequestHeaders => ({ headers, edgeHeaders });
