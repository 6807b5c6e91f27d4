/** The addresses from which this machine's datagrams reach a STUN server: what WebRTC and games show. */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { formatOctets } from '../../core/address.ts';
import type { Probes } from '../../core/request-context.ts';
import { udpPorts } from '../../probes/webrtc.ts';
import { decodeSuccess, encodeBindingRequest } from '../../wire/stun.ts';

interface UdpAddress {
  readonly ip: string;
  readonly port: number;
}

export interface UdpAddresses {
  /** One for each IP version over which the server responded. */
  readonly addresses: readonly UdpAddress[];
  /** Whether a second port of the server saw another port of this machine; null if there is none, or it did not respond, or saw another address. */
  readonly isMappedByDestination: boolean | null;
  /** Why that is not known, although the server has a second port. */
  readonly mappingReason: string | null;
}

/** Requests are repeated after 500 ms, and after twice that time (RFC 8489 §6.2.1). */
const transmissionsMs = [0, 500, 1_500];

/** `hosts`: IP addresses of the server. Resolves when all destinations have responded, or at the end of the signal. */
export async function observeUdp(
  hosts: readonly string[],
  { port, mappingPort }: NonNullable<Probes['stun']>,
  signal: AbortSignal,
): Promise<UdpAddresses> {
  const ports = mappingPort === null ? [port] : [port, mappingPort];
  const first = [4, 6].flatMap((version) => hosts.find((host) => host.includes(':') === (version === 6)) ?? []);
  const observed = await Promise.all(first.map((host) => observeFrom(host, ports, signal)));
  const answered = observed.filter((seen) => seen.length === 2);
  // Ports of two addresses show nothing about the mapping of one.
  const compared = answered.filter(([one, other]) => one?.ip === other?.ip);
  const reason = answered.length > 0 ? udpPorts.severalAddresses : udpPorts.oneResponse;
  return {
    addresses: observed.flatMap(([seen]) => seen ?? []),
    isMappedByDestination: compared.length === 0 ? null : compared.some(([one, other]) => one?.port !== other?.port),
    mappingReason: compared.length > 0 || mappingPort === null ? null : reason,
  };
}

/** The addresses of one socket, as the ports of one host saw them. */
async function observeFrom(host: string, ports: readonly number[], signal: AbortSignal): Promise<UdpAddress[]> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    const seen = await Promise.all(ports.map((port) => requestBinding(socket, { ip: host, port }, signal)));
    return seen.filter((each) => each !== null);
  } finally {
    socket.close();
  }
}

/** The address that the server saw; null if it cannot be reached, or has not responded at the end of the signal. */
function requestBinding(socket: Socket, server: UdpAddress, signal: AbortSignal): Promise<UdpAddress | null> {
  const id = randomBytes(12);
  const request = encodeBindingRequest(id);
  return new Promise((resolve) => {
    const timers = transmissionsMs.map((ms) =>
      setTimeout(() => socket.send(request, server.port, server.ip, (error) => error && finish(null)), ms),
    );
    const finish = (seen: UdpAddress | null): void => {
      for (const timer of timers) clearTimeout(timer);
      resolve(seen);
    };
    socket.on('message', (message) => {
      const success = decodeSuccess(message);
      if (success !== null && id.equals(success.id)) finish({ ip: formatOctets(success.address), port: success.port });
    });
    // If the first request cannot bind the socket.
    socket.on('error', () => finish(null));
    signal.addEventListener('abort', () => finish(null));
  });
}
