/** Checks all open connections in intervals: closes stalled readers, idle HTTP/2 connections and senders of useless frames. */

import type { Metrics } from '../core/metrics.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { Connection } from './connection.ts';
import type { UnsentBodies } from './send-buffer.ts';

/** Bytes that a request of HTTP/2 may take: the limit of its headers. */
interface Seen {
  bytesRead: number;
  opened: number;
  uselessBytes: number;
}

export interface ConnectionWatch {
  add(connection: Connection): void;
  end(): void;
}

export function watchConnections(bounds: Bounds, unsent: UnsentBodies, metrics: Metrics): ConnectionWatch {
  const connections = new Map<Connection, Seen>();
  let accepted = 0;
  metrics.watch('accepted', () => accepted);
  metrics.watch('connections', () => {
    const counts = { 'http/1.1': 0, h2: 0, none: 0 };
    for (const { http1Gate, http2Gate } of connections.keys())
      counts[http2Gate !== null ? 'h2' : http1Gate !== null ? 'http/1.1' : 'none'] += 1;
    return Object.entries(counts).map(([protocol, count]) => [{ protocol }, count]);
  });
  const { connectionCheckMs, idleTimeoutMs, maxHeaderBytes, maxUselessBytes, uselessBytesPerSecond } = bounds;

  /** Bytes of HTTP/2 that are no part of a request: PING, WINDOW_UPDATE, SETTINGS, PRIORITY, empty DATA. */
  const countUseless = (connection: Connection, seen: Seen): void => {
    const { http2Gate, socket } = connection;
    if (http2Gate === null) return;
    const received = socket.bytesRead - seen.bytesRead;
    const requests = http2Gate.opened - seen.opened;
    seen.bytesRead += received;
    seen.opened += requests;
    // While a request body may arrive, its bytes cannot be distinguished; the timeout of the body bounds that.
    const isUseful = http2Gate.isReceiving || received <= requests * maxHeaderBytes;
    const granted = (uselessBytesPerSecond * connectionCheckMs) / 1000;
    seen.uselessBytes = Math.max(
      0,
      seen.uselessBytes - granted + (isUseful ? 0 : received - requests * maxHeaderBytes),
    );
  };

  const check = (): void => {
    const nowMs = performance.now();
    unsent.closeStalled(nowMs);
    for (const [connection, seen] of connections) {
      const { http1Gate, http2Gate, socket } = connection;
      countUseless(connection, seen);
      if (seen.uselessBytes > maxUselessBytes) {
        metrics.countRejection('useless_frames');
        socket.destroy();
      } else if (http1Gate?.isStalled(nowMs)) {
        metrics.countRejection('stalled_reader');
        socket.destroy();
        // Node's own timeout counts PING as activity.
      } else if (http2Gate?.isIdle && nowMs - http2Gate.idleSinceMs > idleTimeoutMs) socket.destroy();
    }
  };
  const timer = setInterval(check, connectionCheckMs);
  timer.unref();
  return {
    add(connection) {
      accepted += 1;
      connections.set(connection, { bytesRead: 0, opened: 0, uselessBytes: 0 });
      connection.socket.once('close', () => connections.delete(connection));
    },
    end: () => clearInterval(timer),
  };
}
