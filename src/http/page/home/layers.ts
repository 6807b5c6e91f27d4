/** Round trips of the connection by layer, as bars on one scale, and the one sentence about them; also part of the browser script. */
import type { RoundTrips } from '../../../resources/round-trip.ts';

/** The layers that have a bar, from the lowest one. */
export const layerNames: Readonly<Record<Exclude<keyof RoundTrips, 'tlsResumed'>, string>> = {
  tcpMs: 'TCP',
  tlsMs: 'TLS handshake',
  http2Ms: 'HTTP/2 SETTINGS',
  pingMs: 'HTTP/2 PING',
  quicMs: 'QUIC',
};
export type Layer = keyof typeof layerNames;
export const layers = Object.keys(layerNames) as readonly Layer[];

/** Width of a bar in percent; 0 if its value is not known. */
export function widthsOf(roundTrips: RoundTrips): Readonly<Record<Layer, number>> {
  const longest = Math.max(...layers.map((layer) => roundTrips[layer] ?? 0)) || 1;
  return Object.fromEntries(
    layers.map((layer) => [layer, Math.round(((roundTrips[layer] ?? 0) / longest) * 1000) / 10]),
  ) as Record<Layer, number>;
}

/** Rounds milliseconds to 0.01 below 1, to 0.1 below 10, else to whole ones. */
export function formatMs(ms: number): string {
  const digits = ms < 1 ? 100 : ms < 10 ? 10 : 1;
  return `${Math.round(ms * digits) / digits} ms`;
}

/** A round trip that is this many times that of TCP, and this many milliseconds longer, needs an explanation. */
const notable = { times: 3, ms: 30 };

/**
 * A sentence if at least two measurements above TCP are much longer than TCP; else null. A full handshake is none of them, because the
 * client verifies the certificate meanwhile, which may take longer than any network. QUIC has no TCP below it.
 */
export function explainLayers({ tcpMs, tlsMs, tlsResumed, http2Ms, pingMs }: RoundTrips): string | null {
  const above = [tlsResumed ? tlsMs : null, http2Ms, pingMs].filter((ms) => ms !== null);
  const smallest = Math.min(...above);
  if (tcpMs === null || above.length < 2 || smallest < tcpMs * notable.times || smallest < tcpMs + notable.ms)
    return null;
  return `The layers above TCP take at least ${formatMs(smallest)}, TCP takes ${formatMs(tcpMs)}. Usual reasons: something near this server ends your TCP connection, such as a proxy or accelerator, or your device responds slowly.`;
}
