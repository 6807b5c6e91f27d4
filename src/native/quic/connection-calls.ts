/** OpenSSL's calls for a connection, with their numbers. */
import type { OpenSsl } from './openssl.ts';
import type { QuicTls } from './quic.ts';

const genericValue = 0;
const eventHandling = 6;
const explicitHandling = 2n;
const noStreamMode = 0;
const policyAccept = 1;
const noBlock = 1n;
/** Unidirectional, without blocking, even if the client permits no more now. */
const newStreamFlags = 7n;
const shutdownRapidly = 1n;
const shutdownWithoutFlush = 2n;
const shutdownWithoutBlocking = 4n;
const getNegotiatedGroup = 134;
const connectionIdBytes = 21;
const closeInfoBytes = 40;
const nanosecondsPerMs = 1e6;

/** Native code writes to these during a call. */
const connectionId = Buffer.alloc(connectionIdBytes);
const closeInfo = Buffer.alloc(closeInfoBytes);
const roundTripTimes = new BigUint64Array(4);

/** The id that the client's packets name, as Latin-1 text. */
export function idOf(openSsl: OpenSsl, connection: bigint): string {
  openSsl.ossl_quic_channel_get_diag_local_cid(openSsl.ossl_quic_conn_get_channel(connection), connectionId);
  return connectionId.toString('latin1', 1, 1 + (connectionId[0] ?? 0));
}

export function tlsOf(openSsl: OpenSsl, connection: bigint): QuicTls {
  const group = Number(openSsl.SSL_ctrl(connection, getNegotiatedGroup, 0n, null));
  return {
    cipher: openSsl.readText(openSsl.SSL_CIPHER_get_name(openSsl.SSL_get_current_cipher(connection))) ?? '',
    group: openSsl.readText(openSsl.SSL_group_to_name(connection, group)),
  };
}

/** Null before the first measurement. */
export function rttMsOf(openSsl: OpenSsl, connection: bigint): number | null {
  const channel = openSsl.ossl_quic_conn_get_channel(connection);
  openSsl.ossl_statm_get_rtt_info(openSsl.ossl_quic_channel_get_statm(channel), roundTripTimes);
  const [smoothed, latest] = roundTripTimes;
  // Before the first measurement, the smoothed one is an assumption.
  return latest === 0n ? null : Number(smoothed) / nanosecondsPerMs || null;
}

/** The client closed it, it was idle, or OpenSSL met an error. */
export const hasEnded = (openSsl: OpenSsl, connection: bigint): boolean =>
  openSsl.SSL_get_conn_close_info(connection, closeInfo, BigInt(closeInfoBytes)) === 1;

/** Lets the connection do nothing by itself. */
export function configure(openSsl: OpenSsl, connection: bigint): void {
  openSsl.SSL_set_value_uint(connection, genericValue, eventHandling, explicitHandling);
  openSsl.SSL_set_blocking_mode(connection, 0);
  openSsl.SSL_set_default_stream_mode(connection, noStreamMode);
  openSsl.SSL_set_incoming_stream_policy(connection, policyAccept, 0n);
}

/** Returns the streams that the client has opened since the previous call. */
export function acceptStreams(openSsl: OpenSsl, connection: bigint): bigint[] {
  const accepted: bigint[] = [];
  for (;;) {
    const stream = openSsl.SSL_accept_stream(connection, noBlock);
    if (stream === 0n) return accepted;
    accepted.push(stream);
  }
}

/** Opens a unidirectional stream; 0 if that is not possible. */
export const openStream = (openSsl: OpenSsl, connection: bigint): bigint =>
  openSsl.SSL_new_stream(connection, newStreamFlags);

/** Closes with an application error code, with or without sending first what was written; returns whether that is done. */
export function shutDown(
  openSsl: OpenSsl,
  connection: bigint,
  { code, isFlushed }: { readonly code: number; readonly isFlushed: boolean },
): boolean {
  const flags = shutdownRapidly | shutdownWithoutBlocking | (isFlushed ? 0n : shutdownWithoutFlush);
  const error = new BigUint64Array([BigInt(code), 0n]);
  return openSsl.SSL_shutdown_ex(connection, flags, error, BigInt(error.byteLength)) === 1;
}
