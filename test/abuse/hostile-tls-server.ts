/** A thread with a TLS server for hostile certificates, so that the CPU time of the client is its own. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface HostileServer extends TlsOptions {
  /** Whether it begins one handshake after the other. */
  readonly renegotiates?: boolean;
}

/** Starts it in a thread; returns its port and what ends it. */
export async function startHostileServer(options: HostileServer) {
  const worker = new Worker(new URL(import.meta.url), { workerData: options });
  const [port] = (await once(worker, 'message')) as [number];
  return { port, end: () => worker.terminate() };
}

function renegotiate(socket: TLSSocket): void {
  if (!socket.destroyed) socket.renegotiate({}, () => setImmediate(renegotiate, socket));
}

if (!isMainThread) {
  Object.assign(tls, { CLIENT_RENEG_LIMIT: Number.POSITIVE_INFINITY });
  const { renegotiates = false, ...options } = workerData as HostileServer;
  const server = createServer(options, (socket) => {
    socket.on('error', () => {});
    if (renegotiates) renegotiate(socket.resume());
    else socket.once('data', () => socket.destroy());
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
}
