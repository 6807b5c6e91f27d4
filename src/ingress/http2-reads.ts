/** Spreads the reads from all HTTP/2 connections over event-loop turns. */
import type { Socket } from 'node:net';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { handleOf } from '../native/socket-handle.ts';

export interface Http2Reads {
  /** Includes a connection until it closes. */
  add(socket: Socket): void;
  /** Counts streams that a connection opens, or that its end closes. */
  count(socket: Socket, streams: number): void;
}

/**
 * Node parses the bytes of all readable connections in one turn: 100 connections that open 100 streams each take 150 ms. After
 * `maxStreamsPerTurn`, reading from all of them stops until the next turn, where those that have waited longest are first.
 */
export function createHttp2Reads({ maxStreamsPerTurn }: Pick<Bounds, 'maxStreamsPerTurn'>): Http2Reads {
  // In the order of their latest stream, which becomes the order in which the kernel reports them.
  const sockets = new Set<Socket>();
  let streamsInTurn = 0;

  const endTurn = (): void => {
    const isStopped = streamsInTurn >= maxStreamsPerTurn;
    streamsInTurn = 0;
    if (!isStopped) return;
    for (const socket of sockets) {
      const handle = handleOf(socket);
      // While bytes wait for the client, Node has stopped reading by itself, and starts again after them.
      if (handle?.writeQueueSize === 0) handle.readStart();
    }
  };
  return {
    add(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    count(socket, streams) {
      if (sockets.delete(socket)) sockets.add(socket);
      if (streamsInTurn === 0) setImmediate(endTurn);
      const before = streamsInTurn;
      streamsInTurn += streams;
      if (before >= maxStreamsPerTurn || streamsInTurn < maxStreamsPerTurn) return;
      for (const each of sockets) handleOf(each)?.readStop();
    },
  };
}
