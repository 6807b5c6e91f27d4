/** A DNS server over UDP and TCP, with one socket of each for every address, so that responses leave from the address that was asked. */

import type { RemoteInfo, Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { addressesOf, listLocalAddresses, openOnAddresses } from '../../native/local-addresses.ts';
import { bindSocket } from '../../native/udp-socket.ts';
import { openPorts } from '../taken-ports.ts';
import { type ConnectionEnd, Connections } from './connections.ts';
import { Responder, type ResponderOptions } from './responder.ts';

export interface DnsServerOptions extends ResponderOptions {
  /** 0: a port that is free on every address. */
  readonly port: number;
  /** Addresses to listen on, or `::` or `0.0.0.0` for all of the machine; if there are none, all. Loopback ones only if they are named. */
  readonly hosts: readonly string[];
  /** Other UDP ports of this process, to which nothing is sent at its own addresses. */
  readonly otherPorts: readonly number[];
  /** Called at each attempt but the first: an address is still missing or cannot be used (the system's error code), or there is none. */
  onMissing(address: string | null, code: string | null): void;
  /** A bound has closed a TCP connection. */
  onClosed(reason: ConnectionEnd): void;
  /** Another process has the port, and the server waits until it is free; null: then it cannot listen. */
  readonly onWaiting: (() => void) | null;
}

/** The sockets of one address. */
interface Path {
  readonly udp: UdpSocket;
  readonly tcp: Server;
}

export class DnsServer {
  /** The port or ports, as the system chose them; set once it listens. */
  port: number;
  readonly #options: DnsServerOptions;
  readonly #responder: Responder;
  readonly #connections: Connections;
  /** The addresses of this machine. */
  #own: ReadonlySet<string> = new Set();
  #paths: Awaited<ReturnType<typeof openOnAddresses<Path>>> | null = null;
  #isClosing = false;

  constructor(options: DnsServerOptions) {
    this.#options = options;
    this.port = options.port;
    this.#responder = new Responder(options);
    this.#connections = new Connections({ ...options, responder: this.#responder });
  }

  /** Throws the system's error, with nothing open, if the port cannot be opened on one of the addresses that this machine has. */
  async listen(): Promise<void> {
    const { bounds, port, onMissing, onWaiting } = this.#options;
    const open = () => {
      this.port = port;
      return openOnAddresses({
        list: () => this.#listAddresses(),
        open: (address) => this.#open(address),
        close: closePath,
        onMissing,
        refreshMs: bounds.addressesMs,
        retryMs: bounds.addressRetryMs,
      });
    };
    this.#paths = await openPorts(open, { isAnyPort: port === 0, bounds, onWaiting, isClosing: () => this.#isClosing });
  }

  /** Ends the TCP connections, which have this time for queries that are arriving; answers over UDP until then. */
  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#connections.close(withinMs);
    await this.#paths?.close();
  }

  #listAddresses(): readonly string[] {
    this.#own = new Set(listLocalAddresses({ hasIpv6: true, hasLoopback: true }));
    const { hosts } = this.#options;
    return (hosts.length === 0 ? [null] : hosts).flatMap((host) => addressesOf(host, { hasLoopback: false }));
  }

  async #open(address: string): Promise<Path> {
    const { bounds } = this.#options;
    const udp = await bindSocket(address, this.port, bounds.receiveBufferBytes);
    const { port } = udp.address();
    const tcp = createServer({ noDelay: true }, (socket) => this.#connections.accept(socket));
    try {
      await once(tcp.listen({ host: address, port, backlog: bounds.backlog, exclusive: true }), 'listening');
    } catch (error) {
      udp.close();
      throw error;
    }
    this.port = port;
    udp.on('message', (message, sender) => this.#receive(udp, message, sender));
    // A client that cannot be reached, or a connection that ended before it was accepted, is not a failure of the server.
    udp.on('error', () => {});
    tcp.on('error', () => {});
    return { udp, tcp };
  }

  #receive(socket: UdpSocket, message: Uint8Array, { address, port }: RemoteInfo): void {
    const { bounds, onResult } = this.#options;
    const isUnsafe = port === 0 || (this.#own.has(address) && this.#isOwnPort(port));
    if (isUnsafe || message.length > bounds.maxQueryBytes || socket.getSendQueueSize() > bounds.maxUnsentBytes) {
      onResult('ignored');
      return;
    }
    const response = this.#responder.respond(message, { address, port, transport: 'udp' });
    if (response !== null) socket.send(response, port, address);
  }

  /** Two servers of one process must not respond to each other. */
  #isOwnPort(port: number): boolean {
    return port === this.port || this.#options.otherPorts.includes(port);
  }
}

/** Open connections stay. */
async function closePath({ udp, tcp }: Path): Promise<void> {
  tcp.close();
  await new Promise<void>((resolve) => udp.close(resolve));
}
