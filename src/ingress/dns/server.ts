/** A DNS server over UDP and TCP, with one socket of each for every address, so that responses leave from the address that was asked. */
import type { RemoteInfo, Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { bindSocket } from '../../native/local-addresses.ts';
import { type LocalPortOptions, LocalPorts } from '../local-ports.ts';
import { type ConnectionEnd, Connections } from './connections.ts';
import { Responder, type ResponderOptions } from './responder.ts';

/** The server listens on a loopback address only if `hosts` names it. */
export interface DnsServerOptions extends ResponderOptions, Omit<LocalPortOptions, 'bounds'> {
  /** 0: a port that is free on every address. */
  readonly port: number;
  /** A bound has closed a TCP connection. */
  onClosed(reason: ConnectionEnd): void;
}

/** The sockets of one address. */
interface Path {
  readonly udp: UdpSocket;
  readonly tcp: Server;
}

export class DnsServer {
  readonly #options: DnsServerOptions;
  readonly #responder: Responder;
  readonly #connections: Connections;
  readonly #local: LocalPorts<Path>;
  readonly #udpAddresses = new Map<UdpSocket, AddressInfo>();

  constructor(options: DnsServerOptions) {
    this.#options = options;
    this.#responder = new Responder(options);
    this.#connections = new Connections({ ...options, responder: this.#responder });
    this.#local = new LocalPorts(options, {
      ports: [options.port],
      hasLoopback: false,
      open: (address, [port = 0]) => this.#open(address, port),
      close: closePath,
    });
  }

  /** The port, as the system chose it; set once it listens. */
  get port(): number {
    return this.#local.ports[0] ?? 0;
  }

  /** Where it receives queries over UDP. */
  get udpAddresses(): readonly AddressInfo[] {
    return [...this.#udpAddresses.values()];
  }

  /** Throws the system's error, with nothing open, if the port cannot be opened on one of the addresses that this machine has. */
  listen(): Promise<void> {
    return this.#local.listen();
  }

  /** Ends the TCP connections, which have this time for queries that are arriving; answers over UDP until then. */
  async close(withinMs: number): Promise<void> {
    this.#local.stopWaiting();
    await this.#connections.close(withinMs);
    await this.#local.close();
  }

  async #open(address: string, anyPort: number): Promise<readonly [Path, readonly number[]]> {
    const { bounds } = this.#options;
    const udp = await bindSocket(address, anyPort, bounds.receiveBufferBytes);
    this.#udpAddresses.set(udp, udp.address());
    udp.on('close', () => this.#udpAddresses.delete(udp));
    const { port } = udp.address();
    const tcp = createServer({ noDelay: true }, (socket) => this.#connections.accept(socket));
    try {
      await once(tcp.listen({ host: address, port, backlog: bounds.backlog, exclusive: true }), 'listening');
    } catch (error) {
      udp.close();
      throw error;
    }
    udp.on('message', (message, sender) => this.#receive(udp, message, sender));
    // A client that cannot be reached, or a connection that ended before it was accepted, is not a failure of the server.
    udp.on('error', () => {});
    tcp.on('error', () => {});
    return [{ udp, tcp }, [port]];
  }

  #receive(socket: UdpSocket, message: Uint8Array, sender: RemoteInfo): void {
    const { bounds, onResult } = this.#options;
    const { address, port } = sender;
    if (port === 0 || this.#local.isOwn(sender) || message.length > bounds.maxQueryBytes) {
      onResult('ignored');
      return;
    }
    if (socket.getSendQueueSize() > bounds.maxUnsentBytes) {
      onResult('dropped');
      return;
    }
    const response = this.#responder.respond(message, { address, port, transport: 'udp' });
    if (response !== null) socket.send(response, port, address);
  }
}

/** Open connections stay. */
async function closePath({ udp, tcp }: Path): Promise<void> {
  tcp.close();
  await new Promise<void>((resolve) => udp.close(resolve));
}
