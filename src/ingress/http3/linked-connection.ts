/** Both ends of a link: the process that ends QUIC passes its connections on, and the service uses them like its own. */
import { createConnection, type Socket } from 'node:net';
import type { QuicConnection, QuicConnectionHandler, QuicOptions, QuicStream } from '../../native/quic/quic.ts';
import type { IngressBounds } from '../bounds.ts';
import { errorCodes } from './data/registries.ts';
import { Link } from './link.ts';
import type { QuicMemory } from './quic-memory.ts';
import { Resets } from './resets.ts';

/** The first stream that a server opens, which is unidirectional (RFC 9000 §2.1); the next one has four more. */
const firstServerStream = 3;

type Opening = Omit<QuicConnection, 'rttMs' | 'openStream' | 'close'>;

/** Describes a connection to the service. */
export function encodeOpening({ ip, port, hello, tls }: Opening): Buffer {
  return Buffer.from(JSON.stringify({ ip, port, hello: { ...hello, clientHello: hello.clientHello.toBase64() }, tls }));
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

/** Calls `onOpen` when the other process has described the connection; it returns null to reject it. */
export function acceptLink(socket: Socket, onOpen: (quic: QuicConnection) => QuicConnectionHandler | null): void {
  let handler: QuicConnectionHandler | null = null;
  let nextStream = firstServerStream;
  const link = new Link(socket, {
    onOpening(payload) {
      const opening = parseOpening(payload);
      // A second opening, like an invalid one, can only be a fault.
      if (opening === null || handler !== null) {
        socket.destroy();
        return;
      }
      handler = onOpen({
        ...opening,
        rttMs: () => link.rttMs,
        openStream() {
          nextStream += 4;
          return link.open(nextStream - 4);
        },
        close: (code) => link.close(code),
      });
    },
    onStream: (stream) => handler?.onStream(stream),
    onClose: () => handler?.onClosed(),
    // All requests of this iteration are answered then.
    schedule: setImmediate,
  });
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
  let connections = 0;
  return (quic) => {
    connections += 1;
    const resets = new Resets(bounds);
    const socket = createConnection(paths[connections % paths.length] as string);
    const link = new Link(socket, {
      onStream(linked) {
        const stream = quic.openStream();
        if (stream !== null) join(stream, linked);
        // Without a control stream there is no HTTP/3.
        else quic.close(errorCodes.streamCreationError);
      },
      onClose: (code) => quic.close(code),
      rttMs: () => quic.rttMs(),
      // Connections are served together, at the end of an iteration: `setImmediate` would need another one.
      schedule: process.nextTick,
    });
    memory.add(quic, () => quic.heldBytes + link.waitingBytes);
    link.send({ type: 'open', payload: encodeOpening(quic) });
    return {
      onStream(stream) {
        let isGivenUp = false;
        join(stream, link.open(stream.id), () => {
          // Clients reset both parts of a request whose body has not ended.
          if (isGivenUp) return;
          isGivenUp = true;
          if (!resets.add()) return;
          onResets();
          quic.close(errorCodes.excessiveLoad);
        });
      },
      onClosed() {
        memory.delete(quic);
        socket.destroy();
      },
    };
  };
}

/** Passes everything from each of two streams on to the other; `onGivenUp` is called when the client wants no more of its own. */
function join(ofClient: QuicStream, linked: QuicStream, onGivenUp = () => {}): void {
  passOn(ofClient, linked, onGivenUp);
  passOn(linked, ofClient);
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
