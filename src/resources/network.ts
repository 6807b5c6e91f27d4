/** IP address, ISP and measurements of the client's connection. */
import * as z from 'zod';
import { fieldOf, integerField, numberField, textField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const Address = z.object({
  ip: textField('IP address', "Client's public IP address"),
  ipVersion: fieldOf(z.literal([4, 6]).nullable())('IP version', "Version of the client's IP address: 4 or 6"),
});
export type Address = z.infer<typeof Address>;

export const Port = z.object({
  port: integerField('Source port', 'Source port of the client connection; null if a proxy hides it'),
});
export type Port = z.infer<typeof Port>;

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
