/** The service's end of a link: a QUIC connection that another process ends. */
import type { Socket } from 'node:net';
import type { QuicConnection, QuicConnectionHandler } from '../../native/quic/quic.ts';
import { Link } from './link.ts';

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

/** Calls `onOpen` when the other process has described the connection; it returns null to reject it. */
export function acceptLink(socket: Socket, onOpen: (quic: QuicConnection) => QuicConnectionHandler | null): void {
  let handler: QuicConnectionHandler | null = null;
  let nextStream = firstServerStream;
  const link = new Link(socket, {
    onOpening(payload) {
      const opening = parseOpening(payload);
      // It comes once.
      if (opening === null || handler !== null) {
        socket.destroy();
        return;
      }
      handler = onOpen({
        ...opening,
        rttMs: () => link.rttMs,
        openStream(streamHandler) {
          nextStream += 4;
          return link.open(nextStream - 4, streamHandler);
        },
        close: (code) => link.close(code),
      });
    },
    onStream: (stream) => handler?.onStream(stream) ?? null,
    onClose: () => handler?.onClosed(),
    rttMs: () => null,
  });
}
