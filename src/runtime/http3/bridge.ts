/** The other end of the links: passes the streams of QUIC connections to the threads of the service. */
import { createConnection } from 'node:net';
import { errorCodes } from '../../ingress/http3/errors.ts';
import { Link } from '../../ingress/http3/link.ts';
import { encodeOpening } from '../../ingress/http3/linked-connection.ts';
import type { OnQuicConnection, QuicStream, QuicStreamHandler } from '../../native/quic/quic.ts';

/**
 * Divides the connections among the Unix sockets of the threads. One for a thread that is being replaced is closed, and its client opens
 * another.
 */
export function createBridge(paths: readonly string[]): OnQuicConnection {
  let connections = 0;
  return (quic) => {
    connections += 1;
    const socket = createConnection(paths[connections % paths.length] as string);
    const link = new Link(socket, {
      onOpening() {},
      onStream(linked) {
        let handler: QuicStreamHandler | null = null;
        const stream = quic.openStream({
          onData() {},
          onReset() {},
          onStopSending: () => linked.stopReading(),
          onDrain: () => linked.resume(),
        });
        if (stream !== null) handler = passTo(stream, linked);
        // Without a control stream there is no HTTP/3.
        else quic.close(errorCodes.streamCreationError);
        return handler;
      },
      onClose: (code) => quic.close(code),
      rttMs: () => quic.rttMs(),
    });
    link.send({ type: 'open', payload: encodeOpening(quic) });
    return {
      onStream(stream) {
        const linked = link.open(stream.id);
        linked.handler = passTo(stream, linked);
        return passTo(linked, stream);
      },
      onClosed: () => socket.destroy(),
    };
  };
}

/** Returns the handler of `from` that passes everything on to `to`. */
function passTo(to: QuicStream, from: QuicStream): QuicStreamHandler {
  return {
    onData(bytes, isLast) {
      if (!to.write(bytes, isLast) && !isLast) from.pause();
    },
    onReset: (code) => to.abort(code),
    onStopSending: () => to.stopReading(),
    onDrain: () => to.resume(),
  };
}
