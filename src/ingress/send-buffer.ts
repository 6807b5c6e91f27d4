/** Sends large bodies in pieces, bounds the bytes that wait for slow readers, and closes readers without progress. */
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Metrics } from '../core/metrics.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { Connection } from './connection.ts';

export type Outgoing = ServerResponse | Http2ServerResponse;

/** A body that is being sent. */
interface Transfer {
  readonly connection: Connection;
  readonly outgoing: Outgoing;
  readonly bytes: number;
  progressedMs: number;
}

export interface UnsentBodies {
  /** Writes a body and ends the response. */
  send(connection: Connection, outgoing: Outgoing, body: string | Uint8Array): void;
  /** Closes the readers that made no progress in time. */
  closeStalled(nowMs: number): void;
}

export function createUnsentBodies(bounds: Bounds, metrics: Metrics): UnsentBodies {
  const { stallTimeoutMs, stallBytes, maxUnsentBytes } = bounds;
  // In the order of their latest progress.
  const transfers = new Set<Transfer>();
  let unsentBytes = 0;

  const release = (transfer: Transfer): void => {
    if (!transfers.delete(transfer)) return;
    unsentBytes -= transfer.bytes;
    transfer.connection.unsentBytes -= transfer.bytes;
  };

  const close = (transfer: Transfer, reason: 'unsent_bytes' | 'stalled_reader'): void => {
    const { connection, outgoing } = transfer;
    // Immediately: the event of the end follows in a later turn, and until then all further responses would close this one again.
    release(transfer);
    // Other responses of the connection end with it.
    if (connection.socket.destroyed) return;
    metrics.countRejection(reason);
    // The other streams of a trusted proxy are the requests of other clients.
    if (connection.trusted && 'stream' in outgoing) outgoing.stream.close();
    else connection.socket.destroy();
  };

  const start = (connection: Connection, outgoing: Outgoing, body: Uint8Array): void => {
    const transfer: Transfer = { connection, outgoing, bytes: body.length, progressedMs: performance.now() };
    transfers.add(transfer);
    unsentBytes += transfer.bytes;
    connection.unsentBytes += transfer.bytes;
    outgoing.once('close', () => release(transfer));
    let at = 0;
    const writeNext = (error?: Error | null): void => {
      if (error || outgoing.destroyed) return;
      transfer.progressedMs = performance.now();
      if (transfers.delete(transfer)) transfers.add(transfer);
      const piece = body.subarray(at, at + stallBytes);
      at += piece.length;
      // The callback of a piece means that the client has accepted it, the only sign of progress over HTTP/2.
      // Both kinds take the same arguments, which the union of their overloads does not show.
      if (at < body.length) (outgoing as ServerResponse).write(piece, writeNext);
      else outgoing.end(piece);
    };
    writeNext();
    for (const oldest of transfers) {
      if (unsentBytes <= maxUnsentBytes) return;
      close(oldest, 'unsent_bytes');
    }
  };

  return {
    send(connection, outgoing, body) {
      // Over HTTP/1, `Http1Gate` detects stalled readers of small bodies.
      if (connection.http1Gate !== null && body.length <= stallBytes) outgoing.end(body);
      else start(connection, outgoing, typeof body === 'string' ? Buffer.from(body) : body);
    },
    closeStalled(nowMs) {
      for (const transfer of transfers) {
        if (nowMs - transfer.progressedMs < stallTimeoutMs) return;
        close(transfer, 'stalled_reader');
      }
    },
  };
}
