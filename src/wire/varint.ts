/** Variable-length integers of QUIC (RFC 9000 §16), for parsers that know how many bytes have arrived. */

/** Bytes of an integer, by its first byte: 1, 2, 4 or 8. */
export const varintBytes = (first: number): number => 1 << (first >> 6);

/** Reads an integer that is complete; above 2^53, the nearest number. */
export function varintAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const end = at + varintBytes(first);
  let value = first & 0x3f;
  for (let next = at + 1; next < end; next += 1) value = value * 256 + (bytes[next] as number);
  return value;
}
