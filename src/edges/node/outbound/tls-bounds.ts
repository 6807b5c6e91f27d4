/** Bounds the CPU time that the server of an outbound TLS connection can cause, whoever it is. */
import { constants } from 'node:crypto';
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import type { Scheduler } from '../../../ingress/schedule/scheduler.ts';
import { boundVerification } from '../../../native/certificate-verification.ts';
import { overheadBytesOf, startReading, stopReading } from '../../../native/socket.ts';

/** Bytes of the certificates that a server may send: 2,000 names, or 40 ordinary certificates. OpenSSL reads up to 100 KB in 25 ms. */
const maxCertificateBytes = 65_536;

/**
 * Bytes beyond those of data, and as many as they: of handshakes and records. A session ticket takes 15 µs, and a server can send tickets
 * without end.
 */
const maxOverheadBytes = 131_072;
const overheadCheckMs = 20;

/** The end of a TLS handshake, in the costs of an HTTP/2 stream: it takes 1.5 ms, most of it to verify the certificate. */
const handshakeStreams = 100;

/** The settings of connections. `weakCiphers`: also those, and certificates, below OpenSSL's security level. */
export function createBoundedContext({
  weakCiphers = false,
  ...options
}: SecureContextOptions & { readonly weakCiphers?: boolean } = {}): SecureContext {
  const context = createSecureContext({
    ...options,
    // No key exchange in finite fields, like browsers: up to TLS 1.2, the server chooses the field, and one of 10,000 bits takes a second.
    ciphers: `${DEFAULT_CIPHERS}:!kDHE${weakCiphers ? ':@SECLEVEL=0' : ''}`,
    // A server of TLS 1.2 could demand handshakes without end.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  boundVerification(context, maxCertificateBytes);
  return context;
}

/** Bounds a connection, from before its handshake to its end. */
export function boundConnection(socket: TLSSocket, scheduler: Scheduler): void {
  spreadHandshake(socket, scheduler);
  const check = (): void => {
    if (overheadBytesOf(socket) <= maxOverheadBytes + socket.bytesRead) return;
    socket.destroy(Object.assign(new Error('more TLS messages than data'), { code: 'ERR_TLS_OVERHEAD' }));
  };
  const timer = setInterval(check, overheadCheckMs);
  socket.once('close', () => clearInterval(timer));
}

/**
 * Many servers may respond at the same instant: after the first few handshakes of an event-loop iteration, the others are not read until
 * the next.
 */
function spreadHandshake(socket: TLSSocket, scheduler: Scheduler): void {
  const port = {
    iterationBytes: 0,
    flow: socket,
    stopReading: () => stopReading(socket),
    resumeReading: () => startReading(socket),
  };
  const untrack = scheduler.reads.track(port);
  const end = (): void => {
    untrack();
    scheduler.reads.count(port, handshakeStreams, 0);
  };
  socket.once('secureConnect', end).once('error', end).once('close', untrack);
}
