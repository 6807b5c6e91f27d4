/** A STUN server (RFC 8489) over UDP: tells clients their address and port, with one socket for each address and port of the machine. */
import type { RemoteInfo, Socket } from 'node:dgram';
import { addressesOf, listLocalAddresses, openOnAddresses } from '../../native/local-addresses.ts';
import { bindSocket } from '../../native/udp-socket.ts';
import { decodeBindingRequest, encodeSuccess, encodeUnknownAttributes } from '../../wire/stun.ts';
import { SecondCounts } from '../limits/second-counts.ts';
import { openPorts } from '../taken-ports.ts';
import type { StunBounds } from './bounds.ts';

/** The result of a datagram: a response, or none because its client has had too many (`limited`) or it is not a request (`ignored`). */
type StunResult = 'success' | 'unknown_attributes' | 'limited' | 'ignored';

export interface StunServerOptions {
  readonly bounds: StunBounds;
  /** One, or two that show whether a NAT maps by destination. 0: a port that is free on every address. */
  readonly ports: readonly number[];
  /** Addresses to listen on, or `::` or `0.0.0.0` for all of the machine; if there are none, all. */
  readonly hosts: readonly string[];
  /** Other UDP ports of this process, to which nothing is sent at its own addresses. */
  readonly otherPorts: readonly number[];
  /** Responses per second to one client; 0: no limit. */
  readonly responsesPerSecond: number;
  /** The key under which an address is counted, such as the /64 of an IPv6 address. */
  clientOf(address: string): string;
  onResult(result: StunResult): void;
  /** Another process has a port, and the server waits until it is free; null: then it cannot listen. */
  readonly onWaiting: (() => void) | null;
}

export class StunServer {
  /** The port or ports, as the system chose them; set once it listens. */
  ports: readonly number[];
  readonly #options: StunServerOptions;
  readonly #responses: SecondCounts;
  /** The addresses of this machine. */
  #own: ReadonlySet<string> = new Set();
  #sockets: Awaited<ReturnType<typeof openOnAddresses<readonly Socket[]>>> | null = null;
  #isClosing = false;

  constructor(options: StunServerOptions) {
    this.#options = options;
    this.ports = options.ports;
    this.#responses = new SecondCounts(options.bounds.maxClients);
  }

  /** Throws the system's error, with nothing open, if a port cannot be opened on one of the addresses that this machine has. */
  async listen(): Promise<void> {
    const { bounds, ports, onWaiting } = this.#options;
    const open = () => {
      this.ports = ports;
      return openOnAddresses({
        list: () => this.#listAddresses(),
        open: (address) => this.#open(address),
        close: closeAll,
        refreshMs: bounds.addressesMs,
        retryMs: bounds.addressRetryMs,
      });
    };
    const isAnyPort = ports.includes(0);
    this.#sockets = await openPorts(open, { isAnyPort, bounds, onWaiting, isClosing: () => this.#isClosing });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#sockets?.close();
  }

  #listAddresses(): readonly string[] {
    this.#own = new Set(listLocalAddresses({ hasIpv6: true, hasLoopback: true }));
    const { hosts } = this.#options;
    return (hosts.length === 0 ? [null] : hosts).flatMap((host) => addressesOf(host, { hasLoopback: true }));
  }

  async #open(address: string): Promise<readonly Socket[]> {
    const sockets: Socket[] = [];
    try {
      for (const port of this.ports)
        sockets.push(await bindSocket(address, port, this.#options.bounds.receiveBufferBytes));
    } catch (error) {
      await closeAll(sockets);
      throw error;
    }
    this.ports = sockets.map((socket) => socket.address().port);
    for (const socket of sockets) {
      socket.on('message', (message, sender) => this.#options.onResult(this.#respond(socket, message, sender)));
      // A client that cannot be reached is not a failure of the server.
      socket.on('error', () => {});
    }
    return sockets;
  }

  #respond(socket: Socket, message: Uint8Array, { address, port }: RemoteInfo): StunResult {
    const { maxRequestBytes, maxUnsentBytes } = this.#options.bounds;
    // Two servers that respond to each other would never end.
    const isOwnServer = this.#own.has(address) && this.#isOwnPort(port);
    const isTooMuch = message.length > maxRequestBytes || socket.getSendQueueSize() > maxUnsentBytes;
    const request = port === 0 || isOwnServer || isTooMuch ? null : decodeBindingRequest(message);
    if (request === null) return 'ignored';
    if (this.#isLimited(address)) return 'limited';
    const isKnown = request.unknownAttributes.length === 0;
    const response = isKnown ? encodeSuccess(request, bytesOf(address), port) : encodeUnknownAttributes(request);
    // A lost response is requested again.
    socket.send(response, port, address, () => {});
    return isKnown ? 'success' : 'unknown_attributes';
  }

  #isLimited(address: string): boolean {
    const { responsesPerSecond: max, clientOf } = this.#options;
    return max !== 0 && this.#responses.add(clientOf(address)) > max;
  }

  #isOwnPort(port: number): boolean {
    return this.ports.includes(port) || this.#options.otherPorts.includes(port);
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
