/** What the routing of datagrams reads of a QUIC packet (RFC 8999 §5 and RFC 9000 §17). */

/** Length of the connection ids that OpenSSL's server chooses. */
export const serverIdLength = 8;
/** Shortest datagram with the first packet of a client (RFC 9000 §14.1). */
const minInitialBytes = 1_200;
export const quicVersion1 = 1;

export interface Packet {
  /** The destination connection id as Latin-1 text, and the length of the source's. */
  readonly destinationId: string;
  readonly sourceIdLength: number;
  /** 0 for a packet with a short header. */
  readonly version: number;
  /** Whether it may begin a connection or a version negotiation. */
  readonly isInitial: boolean;
  /** Whether it has a token, with which its sender may have proven its address. */
  readonly hasToken: boolean;
}

/** Reads the first packet of a datagram; null if it has no packet for a server. */
export function readPacket(bytes: Buffer): Packet | null {
  const [first = 0] = bytes;
  if (first < 0x80) {
    if (bytes.length <= serverIdLength) return null;
    const destinationId = bytes.toString('latin1', 1, 1 + serverIdLength);
    return { destinationId, sourceIdLength: 0, version: 0, isInitial: false, hasToken: false };
  }
  const idLength = bytes[5] ?? 0;
  const sourceAt = 6 + idLength;
  const sourceIdLength = bytes[sourceAt] ?? 0;
  const tokenAt = sourceAt + 1 + sourceIdLength;
  if (tokenAt >= bytes.length) return null;
  const version = bytes.readUInt32BE(1);
  const isVersion1 = version === quicVersion1;
  // Connection ids of other versions may be longer (RFC 8999 §5.1), but OpenSSL has no larger buffer.
  if (version === 0 || idLength > 20 || sourceIdLength > 20) return null;
  return {
    destinationId: bytes.toString('latin1', 6, sourceAt),
    sourceIdLength,
    version,
    isInitial: bytes.length >= minInitialBytes && (!isVersion1 || (first & 0x30) === 0),
    hasToken: isVersion1 && bytes[tokenAt] !== 0,
  };
}
