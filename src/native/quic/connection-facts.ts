/** What OpenSSL knows of a connection. */
import type { OpenSsl } from './openssl.ts';
import type { QuicTls } from './quic.ts';

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
