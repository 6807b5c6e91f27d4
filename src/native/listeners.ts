/**
 * Takes Node's own listeners off its servers and sockets, so that this process can work on a connection before Node does.
 *
 * Relies on listeners that Node adds itself and does not document: `connection` of a server, the last `secureConnection` of an HTTP/2
 * server, `data` of a socket with an HTTP parser, and `newListener` of an HTTP/2 server. Checked in Node 26.10. Without one of them,
 * the function throws an Error when the server is created, and the process does not start.
 */
import type { EventEmitter } from 'node:events';

type Listener = (...args: unknown[]) => void;

/** Removes the first or the last listener of an event and returns it; the caller decides when it runs. */
export function takeListener(emitter: EventEmitter, event: string, position: 'first' | 'last' = 'first'): Listener {
  const listener = emitter.listeners(event).at(position === 'first' ? 0 : -1) as Listener | undefined;
  if (listener === undefined) throw new Error(`Node ${process.version} has no listener of its own for "${event}"`);
  emitter.removeListener(event, listener);
  return listener;
}

/**
 * Keeps an HTTP/2 server from adding its compatibility layer (13 µs per request) with the first listener for `request`, which then gets
 * requests over HTTP/1 only.
 */
export function disableHttp2Compatibility(server: EventEmitter): void {
  takeListener(server, 'newListener');
}
