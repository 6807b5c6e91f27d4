/** HTTP/2 connection preface (RFC 9113 §3.4), HTTP/3 SETTINGS, QUIC handshake and TCP SYN of the client, with IANA's names. */
import * as z from 'zod';
import { type ClientHello, transportParametersOf } from '../client/fingerprint/client-hello.ts';
import { type Http2Preface, pseudoHeadersOf } from '../client/fingerprint/http2.ts';
import type { Http3Opening } from '../client/fingerprint/http3.ts';
import { parseTcpSyn } from '../client/fingerprint/tcp-syn.ts';
import { fieldOf, flagField, integerField, listField, nullsOf, textField } from '../core/field.ts';
import type { ObservedHandshake, ObservedRequest } from '../core/observed.ts';
import { Named, namesField } from './fingerprint-tls.ts';

const Priority = z.object({
  weight: z.int().describe('1 to 256'),
  exclusive: z
    .boolean()
    .describe('Exclusive flag: other streams that depend on the same stream then depend on this one'),
  dependsOn: z.int().describe('Stream it depends on'),
});

const PriorityFrame = Priority.extend({ streamId: z.int().describe('Stream that gets the priority') });

const Settings = z.array(Named.extend({ value: z.int().describe('Value of the setting') }));

const Frame = Named.extend({
  flags: z.int().describe('Flags as one number'),
  streamId: z.int().describe('Stream of the frame; 0 is the connection'),
  length: z.int().describe('Length of the payload in bytes'),
  settings: Settings.nullable().describe('Content of a SETTINGS frame, else null'),
  increment: z.int().nullable().describe('Increment of a WINDOW_UPDATE frame, else null'),
  priority: Priority.nullable().describe('Priority in a PRIORITY or HEADERS frame, else null'),
});

export const HttpOpening = z
  .object({
    version: textField('HTTP version of the connection', 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3'),
    headerOrder: listField(
      'Header order',
      'Names of the header fields as the client sent them, in their order and, over HTTP/1, their case; null if an intermediary sent them',
    ),
    headers: fieldOf(z.array(z.array(z.string()).length(2)).nullable())(
      'Headers as sent',
      'Name and value of each header field as the client sent it, in the same order; never shortened',
    ),
    pseudoHeaderOrder: listField('Pseudo-header order', 'Pseudo-headers of HTTP/2 and HTTP/3 in the order sent'),
    settings: fieldOf(Settings.nullable())('SETTINGS', 'First SETTINGS frame in the order sent, unknown ids included'),
    windowUpdate: integerField(
      'WINDOW_UPDATE',
      'Increment of the first WINDOW_UPDATE frame; null if none came before the first request',
      ' bytes',
    ),
    priorityFrames: fieldOf(z.array(PriorityFrame).nullable())(
      'PRIORITY frames',
      'PRIORITY frames before the first request',
    ),
    headersPriority: fieldOf(Priority.nullable())(
      'HEADERS priority',
      'Priority in the first HEADERS frame of the connection; null if it had none',
    ),
    frames: fieldOf(z.array(Frame).nullable())(
      'HTTP/2 frames',
      'Every frame of the connection up to the first HEADERS frame, in the order sent',
    ),
  })
  .meta({ id: 'HttpOpening', description: 'Opening of HTTP by the client; null if the edge did not observe it' });
export type HttpOpening = z.infer<typeof HttpOpening>;

export const TcpOpening = z
  .object({
    ipVersion: fieldOf(z.literal([4, 6]).nullable())('IP version, first packet', 'IP version of the first packet'),
    ttl: integerField('TTL', 'Time to live (IPv4) or hop limit (IPv6) on arrival'),
    initialTtlEstimate: integerField(
      'Initial TTL, estimated',
      'Lowest of the usual initial values 32, 64, 128 and 255 that is not below the TTL; an estimate',
    ),
    dontFragment: flagField('Do not fragment', 'The DF bit; null over IPv6, which has none'),
    windowSize: integerField('Window size', 'Window field of the first packet, not scaled', ' bytes'),
    mss: integerField('Maximum segment size', 'Maximum segment size (MSS); null without the option', ' bytes'),
    windowScale: integerField('Window scale', 'Shift count of the window; null without the option'),
    mtu: integerField(
      'MTU',
      'Largest IP packet on the client’s path that it or a gateway knows of, derived from the MSS; null without the option',
      ' bytes',
    ),
    link: textField(
      'Link',
      'Kind of link with this MTU: Ethernet, PPPoE, or tunnel or VPN. Only a hint, because gateways change the MSS. Null if no kind or several kinds have this MTU',
    ),
    options: namesField('TCP options', 'TCP options in the order sent, padding included'),
  })
  .meta({
    id: 'TcpOpening',
    description:
      'First TCP packet (SYN) of the connection; all null behind proxies, with SYN cookies and on systems other than Linux',
  });
export type TcpOpening = z.infer<typeof TcpOpening>;

const noHttp = nullsOf(HttpOpening);
const noTcp = nullsOf(TcpOpening);

export function httpOpening(
  { protocol, handshake: { headerFields } }: Pick<ObservedRequest, 'protocol' | 'handshake'>,
  preface: Http2Preface | null,
  http3: Http3Opening | null,
): HttpOpening {
  const pseudoHeaders = headerFields && pseudoHeadersOf(headerFields);
  const headers = headerFields?.filter(([name]) => !name.startsWith(':'));
  return {
    ...noHttp,
    version: protocol,
    headerOrder: headers?.map(([name]) => name) ?? null,
    headers: headers?.map(([name, value]) => [name, value]) ?? null,
    pseudoHeaderOrder: pseudoHeaders?.length ? pseudoHeaders : null,
    ...(http3 && { settings: http3.settings }),
    ...preface,
  };
}

export const tcpOpening = (packet: Uint8Array | null): TcpOpening => ({ ...noTcp, ...(packet && parseTcpSyn(packet)) });

const TransportParameter = Named.extend({
  value: z.number().nullable().describe('The value if it is one integer, else null'),
  length: z.int().describe('Length in bytes'),
});

export const QuicOpening = z
  .object({
    version: integerField('QUIC version', 'Version of the packets with the ClientHello, such as 1'),
    transportParameters: fieldOf(z.array(TransportParameter).nullable())(
      'Transport parameters',
      'Transport parameters in the order sent; reserved ones are named GREASE',
    ),
    destinationIdLength: integerField(
      'Destination connection id',
      'Length of the connection id that the client chose for the server in its first packet; null if unknown',
      ' bytes',
    ),
    sourceIdLength: integerField('Source connection id', 'Length of the client’s own connection id', ' bytes'),
    cryptoFrames: integerField('CRYPTO frames', 'CRYPTO frames that carried the ClientHello; Chromium shuffles them'),
    datagrams: integerField('Datagrams', 'Datagrams that carried the ClientHello'),
  })
  .meta({ id: 'QuicOpening', description: 'Opening of QUIC by the client; all null over TCP and behind proxies' });
export type QuicOpening = z.infer<typeof QuicOpening>;

const noQuic = nullsOf(QuicOpening);

export function quicOpening({ quic }: ObservedHandshake, hello: ClientHello | null): QuicOpening {
  if (quic === null) return noQuic;
  // Not spread: an edge's object may have more members, such as the ClientHello.
  const { version, destinationIdLength, sourceIdLength, cryptoFrames, datagrams } = quic;
  const transportParameters = hello && transportParametersOf(hello);
  return { version, transportParameters, destinationIdLength, sourceIdLength, cryptoFrames, datagrams };
}
