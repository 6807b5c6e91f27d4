/** Round-trip times of the client's connection, layer by layer: a proxy that terminates TCP lengthens the times of higher layers. */
import * as z from 'zod';
import { flagField, numberField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const RoundTrip = z
  .object({
    tcpMs: numberField('RTT of TCP', 'Smoothed RTT of TCP in milliseconds; null if not measured', ' ms'),
    tlsMs: numberField(
      'RTT of TLS',
      'Milliseconds from the ClientHello to the end of the handshake. Includes the client’s cryptography and its check of the certificate; doubles after a HelloRetryRequest. Null if not measured, or if the service was busy',
      ' ms',
    ),
    http2Ms: numberField(
      'RTT of HTTP/2',
      'Milliseconds from the service’s SETTINGS to their acknowledgment, which arrives after the first request. Null before that, over other versions of HTTP, or if the service was busy',
      ' ms',
    ),
    quicMs: numberField(
      'RTT of QUIC',
      'Smoothed RTT of QUIC in milliseconds; HTTP/3 only, null if not measured',
      ' ms',
    ),
  })
  .meta({ id: 'RoundTrip', description: 'Round-trip times of the layers of the connection; no verdict' });
export type RoundTrip = z.infer<typeof RoundTrip>;

export function roundTrip({ transport, layers }: Pick<ObservedRequest, 'transport' | 'layers'>): RoundTrip {
  const { clientTcpRttMs: tcpMs, clientQuicRttMs: quicMs } = transport;
  return { tcpMs, tlsMs: layers.tlsMs, http2Ms: layers.http2Ms, quicMs };
}

export const RoundTrips = RoundTrip.extend({
  pingMs: numberField(
    'RTT of a PING',
    'Milliseconds until the client acknowledged an HTTP/2 PING that this request caused. Null over other versions of HTTP, after 3 s, or if the service was busy',
    ' ms',
  ),
  tlsResumed: flagField(
    'TLS resumed',
    'Whether the TLS handshake resumed a session. If so, the client verified no certificate, and tlsMs is shorter',
  ),
}).meta({ id: 'RoundTrips', description: 'Round-trip times of the layers of the connection, with a PING; no verdict' });
export type RoundTrips = z.infer<typeof RoundTrips>;

/** Measured after the PING, whose acknowledgment arrives after that of SETTINGS. */
export async function roundTrips(observed: ObservedRequest): Promise<RoundTrips> {
  const pingMs = (await observed.ping?.()) ?? null;
  return { ...roundTrip(observed), pingMs, tlsResumed: observed.layers.tlsResumed };
}
