/** A STUN server (RFC 8489) over UDP: tells clients their address and port, with a socket for each local address and each of the server's ports. */
import type { RemoteInfo, Socket } from 'node:dgram';
import { bindSocket } from '../../native/local-addresses.ts';
import { WindowCounts } from '../../native/window-counts.ts';
import { decodeBindingRequest, encodeSuccess, encodeUnknownAttributes } from '../../wire/stun.ts';
import type { Identify } from '../limits/identity.ts';
import { type LocalPortOptions, LocalPorts } from '../local-ports.ts';
import type { StunBounds } from './bounds.ts';

/**
 * The result of a datagram: a response; or none because its client has had too many (`limited`), or because the datagram is not a request, is too
 * long, comes from a port to which nothing may be sent, or too much is unsent (`ignored`).
 */
type StunResult = 'success' | 'unknown_attributes' | 'limited' | 'ignored';

export interface StunServerOptions extends Omit<LocalPortOptions, 'bounds' | 'onMissing'> {
  readonly bounds: StunBounds;
  /** One, or two that show whether a NAT maps by destination. 0: a port that is free on every address. */
  readonly ports: readonly number[];
  /** Responses per second to one client; 0: no limit. */
  readonly responsesPerSecond: number;
  readonly identify: Identify;
  onResult(result: StunResult): void;
}

export class StunServer {
  readonly #options: StunServerOptions;
  readonly #responses: WindowCounts;
  readonly #local: LocalPorts<readonly Socket[]>;

  constructor(options: StunServerOptions) {
    this.#options = options;
    this.#responses = new WindowCounts(1_000, options.bounds.maxClients);
    this.#local = new LocalPorts(options, {
      ports: options.ports,
      hasLoopback: true,
      open: (address, ports) => this.#open(address, ports),
      close: closeAll,
    });
  }

  /** The port or ports, as the system chose them; set once it listens. */
  get ports(): readonly number[] {
    return this.#local.ports;
  }

  /** Throws the system's error, with nothing open, if a port cannot be opened on one of the addresses that this machine has. */
  listen(): Promise<void> {
    return this.#local.listen();
  }

  close(): Promise<void> {
    return this.#local.close();
  }

  async #open(address: string, ports: readonly number[]): Promise<readonly [readonly Socket[], readonly number[]]> {
    const sockets: Socket[] = [];
    try {
      for (const port of ports) sockets.push(await bindSocket(address, port, this.#options.bounds.receiveBufferBytes));
    } catch (error) {
      await closeAll(sockets);
      throw error;
    }
    for (const socket of sockets) {
      socket.on('message', (message, sender) => this.#options.onResult(this.#respond(socket, message, sender)));
      // A client that cannot be reached is not a failure of the server.
      socket.on('error', () => {});
    }
    return [sockets, sockets.map((socket) => socket.address().port)];
  }

  #respond(socket: Socket, message: Uint8Array, sender: RemoteInfo): StunResult {
    const { address, port } = sender;
    const { maxRequestBytes, maxUnsentBytes } = this.#options.bounds;
    const isTooMuch = message.length > maxRequestBytes || socket.getSendQueueSize() > maxUnsentBytes;
    const request = port === 0 || isTooMuch || this.#local.isOwn(sender) ? null : decodeBindingRequest(message);
    if (request === null) return 'ignored';
    if (this.#isLimited(address)) return 'limited';
    const isKnown = request.unknownAttributes.length === 0;
    const response = isKnown ? encodeSuccess(request, bytesOf(address), port) : encodeUnknownAttributes(request);
    // Errors are ignored: a client without a response asks again.
    socket.send(response, port, address, () => {});
    return isKnown ? 'success' : 'unknown_attributes';
  }

  #isLimited(address: string): boolean {
    const { responsesPerSecond: max, identify } = this.#options;
    return max !== 0 && this.#responses.add(identify(address).prefix) > max;
  }
}

const closeAll = async (sockets: readonly Socket[]): Promise<void> => {
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(resolve))));
};

/** The bytes of a numeric address as the system writes it, without its zone. */
function bytesOf(address: string): Uint8Array {
  if (!address.includes(':')) return Uint8Array.from(address.split('.'), Number);
  const [hex = ''] = address.replace(/[\d.]+\.[\d.]+/, groupsOfIpv4).split('%');
  const groupsOf = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head = [], tail = []] = hex.split('::').map(groupsOf);
  const zeros = new Array<number>(8 - head.length - tail.length).fill(0);
  return Uint8Array.from([...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]));
}

/** The last 32 bits of some IPv6 addresses are written like an IPv4 address. */
function groupsOfIpv4(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
