/** Keys of clients in the store: hashes whose key changes every day, so that days cannot be linked. */
import { createHmac, hash } from 'node:crypto';

const dayMs = 86_400_000;
/** 132 bits in Base64. */
const keyLength = 22;

export interface KeyPeriod {
  /** The hash of a client's key. */
  hash(clientKey: string): string;
  /** The hash under which counting continues at `midnightMs`; null if midnight is more than a window away. */
  readonly hashNext: ((clientKey: string) => string) | null;
  readonly midnightMs: number;
}

/**
 * Returns the keys at a time. Within a window before and after midnight (UTC) there are two, and the store's clock decides which of them
 * counts, so that the clocks of instances may differ.
 */
export function createStoreKeys(secret: string, windowMs: number): (nowMs: number) => KeyPeriod {
  const hashers = new Map<number, (clientKey: string) => string>();
  const hasherOf = (day: number): ((clientKey: string) => string) => {
    const known = hashers.get(day);
    if (known !== undefined) return known;
    const date = new Date(day * dayMs).toISOString().slice(0, 10);
    const dayKey = createHmac('sha256', secret).update(date).digest('base64');
    const hasher = (clientKey: string): string => hash('sha256', dayKey + clientKey, 'base64').slice(0, keyLength);
    if (hashers.size > 1) hashers.clear();
    hashers.set(day, hasher);
    return hasher;
  };
  return (nowMs) => {
    const day = Math.floor((nowMs - windowMs) / dayMs);
    const nextDay = Math.floor((nowMs + windowMs) / dayMs);
    const hashNext = nextDay === day ? null : hasherOf(nextDay);
    return { hash: hasherOf(day), hashNext, midnightMs: (day + 1) * dayMs };
  };
}
