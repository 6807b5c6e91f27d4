/** Registered values with their names, and texts out of bytes that clients chose. */

export interface Named {
  readonly id: number;
  /** `GREASE` for the values of RFC 8701; null if the registry has no name. */
  readonly name: string | null;
}

/** Whether a value is one of the sixteen that clients send at random so that servers learn to ignore them (RFC 8701). */
export const isGrease = (value: number): boolean => (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);

/** Returns all other values; none if the list is absent. */
export const omitGrease = (values: readonly number[] | null = []): number[] =>
  values?.filter((value) => !isGrease(value)) ?? [];

export const named = (id: number, names: ReadonlyMap<number, string>): Named => ({
  id,
  name: names.get(id) ?? (isGrease(id) ? 'GREASE' : null),
});

/** Names an id of up to 62 bits; QUIC and HTTP/3 reserve the ids that leave a certain remainder when divided by 31. */
export const nameWide = (id: bigint, names: ReadonlyMap<number, string>, greaseRemainder: bigint): Named => ({
  id: safeNumber(id),
  name: names.get(Number(id)) ?? (id % 31n === greaseRemainder ? 'GREASE' : null),
});

/** JSON has integers of up to 53 bits. */
export const safeNumber = (value: bigint): number => Math.min(Number(value), Number.MAX_SAFE_INTEGER);

/** Printable ASCII as it is, other bytes as `0x` and hex digits. */
export function textOfBytes(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)) return String.fromCharCode(...bytes);
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
