/** A registered value with its name, and texts out of bytes that clients chose. */
import { isGrease } from './client-hello.ts';

export interface Named {
  readonly id: number;
  /** `GREASE` for the values of RFC 8701; null if the registry has no name. */
  readonly name: string | null;
}

export const named = (id: number, names: ReadonlyMap<number, string>): Named => ({
  id,
  name: names.get(id) ?? (isGrease(id) ? 'GREASE' : null),
});

export const namedAll = (ids: readonly number[], names: ReadonlyMap<number, string>): Named[] =>
  ids.map((id) => named(id, names));

/** Printable ASCII as it is, other bytes as `0x` and hex digits. */
export function textOfBytes(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)) return String.fromCharCode(...bytes);
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
