/** Both ends of a channel: the process that ends QUIC passes its connections on, and the service uses them like its own. */
import { EventEmitter } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { IngressBounds } from '../../ingress/bounds.ts';
import { errorCodes } from '../../ingress/http3/data/registries.ts';
import { Rate } from '../../ingress/limits/rate.ts';
import type { QuicOptions } from '../../native/quic/server-interface.ts';
import type { QuicConnection, QuicConnectionHandler, QuicStream } from '../../native/quic.ts';
import { Channel } from './channel.ts';
import { ChannelSocket } from './channel-socket.ts';
import type { QuicMemory } from './quic-memory.ts';

/** The first stream that a server opens, which is unidirectional (RFC 9000 §2.1); the next one has four more. */
const firstServerStream = 3;

type Opening = Omit<QuicConnection, 'rttMs' | 'openStream' | 'close'>;

/** Describes a connection to the service. */
export function encodeOpening({ ip, port, hello, tls }: Opening): Buffer {
  const clientHello = Buffer.from(hello.clientHello).toString('base64');
  return Buffer.from(JSON.stringify({ ip, port, hello: { ...hello, clientHello }, tls }));
}

/** Null if the other process has sent something else. */
function parseOpening(payload: Uint8Array): Opening | null {
  try {
    const { hello, ...opening } = JSON.parse(Buffer.from(payload).toString());
    return { ...opening, hello: { ...hello, clientHello: Buffer.from(hello.clientHello, 'base64') } };
  } catch {
    return null;
  }
}

/** What a connection has instead of a socket of its own: the members of `Socket` that connections over HTTP/3 use. */
class CarriedSocket extends EventEmitter {
  destroyed = false;
  readonly #channel: ChannelSocket;

  constructor(channel: ChannelSocket) {
    super();
    this.#channel = channel;
  }

  pause(): void {
    if (!this.destroyed) this.#channel.pause();
  }

  resume(): void {
    if (!this.destroyed) this.#channel.resume();
  }

  /** Closes the socket itself, so that the other process notices; after the end of the connection, it may carry another one. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#channel.destroy();
  }

  onClosed(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

type OnOpen = (quic: QuicConnection, socket: Socket) => QuicConnectionHandler | null;

/** Calls `onOpen` for each connection that the other process describes; it returns null to reject it. */
export function acceptChannel(socket: Socket, onOpen: OnOpen): ChannelSocket {
  const carrier = new ChannelSocket(socket, {
    // All requests of this iteration are answered then.
    schedule: setImmediate,
    onOpening(payload) {
      const opening = parseOpening(payload);
      // It can only be a fault.
      if (opening === null) socket.destroy();
      else carryConnection(carrier, opening, onOpen);
    },
  });
  return carrier;
}

function carryConnection(carrier: ChannelSocket, opening: Opening, onOpen: OnOpen): void {
  let nextStream = firstServerStream;
  let handler: QuicConnectionHandler | null = null;
  const carried = new CarriedSocket(carrier);
  const channel = new Channel(carrier, {
    onStream: (stream) => handler?.onStream(stream),
    onClose() {
      channel.end();
      handler?.onClosed();
      carried.onClosed();
    },
  });
  const quic = {
    ...opening,
    rttMs: () => channel.rttMs,
    openStream() {
      nextStream += 4;
      return channel.open(nextStream - 4);
    },
    close: (code: number) => channel.close(code),
  };
  handler = onOpen(quic, carried as EventEmitter as Socket);
}

/** Sockets without a connection that are kept for each thread; further ones are closed. */
const maxIdleSockets = 8;

/** The sockets to one thread of the service. */
class ChannelSockets {
  readonly #path: string;
  /** The longest idle first. */
  readonly #idle: ChannelSocket[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  take(): ChannelSocket {
    for (let idle = this.#idle.shift(); idle !== undefined; idle = this.#idle.shift()) if (idle.isOpen) return idle;
    // Connections are served together, at the end of an iteration: `setImmediate` would need another one.
    return new ChannelSocket(createConnection(this.#path), { schedule: process.nextTick });
  }

  /** Ends a channel. If bytes wait, the service is slow: the next connection must not wait behind them. */
  release(channel: Channel, socket: ChannelSocket): void {
    const isReusable = socket.isOpen && socket.waitingBytes === 0 && this.#idle.length < maxIdleSockets;
    if (isReusable) {
      channel.close(errorCodes.noError);
      this.#idle.push(socket);
    } else socket.destroy();
    channel.end();
  }
}

interface BridgeOptions {
  /** Unix sockets of the threads. */
  readonly paths: readonly string[];
  readonly bounds: Pick<IngressBounds, 'streamResetBurst' | 'streamResetRate'>;
  readonly memory: QuicMemory;
  /** Called for a connection whose client gives up too many requests, when it is closed. */
  onResets(): void;
}

/**
 * Divides the connections among the Unix sockets of the threads. One for a thread that is being replaced is closed, and its client opens
 * another. Requests that clients give up are counted here, because the service never hears of most of them.
 */
export function createBridge({ paths, bounds, memory, onResets }: BridgeOptions): QuicOptions['onConnection'] {
  const threads = paths.map((path) => new ChannelSockets(path));
  // Node counts the streams that are reset over HTTP/2 by the same bounds.
  const resetRate = new Rate(bounds.streamResetRate, bounds.streamResetBurst);
  let connections = 0;
  return (quic) => {
    connections += 1;
    /** See `Rate`. */
    let resetsMs = 0;
    const thread = threads[connections % threads.length] as ChannelSockets;
    const socket = thread.take();
    const owner = {
      onStream(ofService: QuicStream) {
        const stream = quic.openStream();
        if (stream !== null) join(stream, ofService);
        // Without a control stream there is no HTTP/3.
        else quic.close(errorCodes.streamCreationError);
      },
      onClose: (code: number) => quic.close(code),
      rttMs: () => quic.rttMs(),
    };
    const channel = new Channel(socket, owner, encodeOpening(quic));
    memory.add(quic, () => quic.heldBytes + socket.waitingBytes);
    return {
      onStream(stream) {
        let isGivenUp = false;
        join(stream, channel.open(stream.id), () => {
          // Clients reset both parts of a request whose body has not ended.
          if (isGivenUp) return;
          isGivenUp = true;
          const nextMs = resetRate.consume(resetsMs, performance.now());
          resetsMs = nextMs ?? resetsMs;
          if (nextMs !== null) return;
          onResets();
          quic.close(errorCodes.excessiveLoad);
        });
      },
      onClosed() {
        memory.delete(quic);
        thread.release(channel, socket);
      },
    };
  };
}

/** Passes everything from each of two streams on to the other; `onGivenUp` is called when the client wants no more of its own. */
function join(ofClient: QuicStream, ofService: QuicStream, onGivenUp = () => {}): void {
  passOn(ofClient, ofService, onGivenUp);
  passOn(ofService, ofClient);
}

function passOn(from: QuicStream, to: QuicStream, onGivenUp = () => {}): void {
  from.handler = {
    onData(bytes, isLast) {
      if (!to.write(bytes, isLast) && !isLast) from.pause();
    },
    onReset(code) {
      to.abort(code);
      onGivenUp();
    },
    onStopSending() {
      to.stopReading();
      onGivenUp();
    },
    onDrain: () => to.resume(),
  };
}
