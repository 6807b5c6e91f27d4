/**
 * Accepts several connections in one iteration of the event loop, by accept4(2). Node accepts one in each, so that a flood of connections
 * makes every new client wait for as many iterations as there are connections before its own.
 *
 * Relies on `_handle` of `net.Server` with `fd`, `onconnection` and its constructor, on `open(fd)` of the handles that it makes, and on
 * `node:ffi`. Checked in Node 26.10 on Linux. Without them, one connection is accepted in each iteration.
 */
import type { Server } from 'node:net';
import { loadFunctions } from './ffi.ts';

interface ListeningHandle {
  readonly fd: number;
  onconnection(this: ListeningHandle, status: number, connection: object): void;
  readonly constructor: new (type: number) => { open(fd: number): number };
}

/** Type of a handle for a connection. */
const connectionType = 0;

/** SOCK_NONBLOCK and SOCK_CLOEXEC of socket(2). */
const socketFlags = 0o2004000;

const calls = await loadFunctions({
  // The two in the middle are pointers to where the client's address is to be stored; null here.
  accept4: { arguments: ['i32', 'u64', 'u64', 'i32'], return: 'i32' },
});

/** Accepts up to `max` of the connections that wait, in each iteration; expects a server that listens. */
export function acceptWaiting(server: Server, max: number): void {
  const handle = (server as Server & { readonly _handle?: ListeningHandle | null })._handle;
  if (calls === null || !handle?.onconnection) return;
  const { accept4 } = calls;
  const { onconnection, constructor: Handle } = handle;
  handle.onconnection = function (status, connection) {
    onconnection.call(this, status, connection);
    for (let accepted = 1; accepted < max; accepted += 1) {
      const fd = accept4(this.fd, 0n, 0n, socketFlags);
      if (fd === -1) return;
      const next = new Handle(connectionType);
      next.open(fd);
      onconnection.call(this, 0, next);
    }
  };
}
