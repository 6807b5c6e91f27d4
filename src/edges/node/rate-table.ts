/** Counts the calls of each address over a sliding window, in a bounded table without addresses. */
import { hash, randomBytes } from 'node:crypto';

/** Spends one call of this key at this time; false, and nothing spent, when the window holds as many as allowed. */
export type Spend = (key: string, nowMs: number) => boolean;

export interface RateTable {
  readonly spend: Spend;
  /** Undoes the key's last call. */
  readonly giveBack: (key: string) => void;
  /** Forgets every key whose calls have left the window. */
  readonly forget: (nowMs: number) => void;
  readonly size: () => number;
}

/** `perWindow` 0 means no limit. Above `maxKeys` the key that made no call for the longest time is forgotten first. */
export function rateTable(perWindow: number, windowMs: number, maxKeys: number): RateTable {
  /** Times of the calls in the window, oldest first; the map's order is that of each key's last call. */
  const calls = new Map<string, number[]>();
  // Kept, since a new iterator walks over every deletion since the map was last rebuilt: 20 µs for each new key once full.
  const byIdleness = calls.keys();

  function spend(key: string, nowMs: number): boolean {
    if (perWindow === 0) return true;
    const times = calls.get(key) ?? [];
    const kept = times.findIndex((time) => time > nowMs - windowMs);
    if (kept !== 0) times.splice(0, kept === -1 ? times.length : kept);
    if (times.length >= perWindow) return false;
    times.push(nowMs);
    calls.delete(key);
    calls.set(key, times);
    if (calls.size > maxKeys) forgetOldest();
    return true;
  }

  function forgetOldest(): void {
    const oldest = byIdleness.next();
    if (!oldest.done) calls.delete(oldest.value);
  }

  function forget(nowMs: number): void {
    for (const [key, times] of calls) {
      if ((times.at(-1) ?? 0) > nowMs - windowMs) return;
      calls.delete(key);
    }
  }

  const giveBack = (key: string): void => {
    calls.get(key)?.pop();
  };

  return { spend, giveBack, forget, size: () => calls.size };
}

const secret = randomBytes(24).toString('base64');

/** The name under which an address is counted: a hash keyed with a secret of this process; IPv6 by its /64. */
export function rateKeyOf(ip: string | null): string {
  return hash('sha256', secret + (ip?.includes(':') ? prefix64(ip) : ip), 'base64').slice(0, 22);
}

/** The first four groups of an IPv6 address as the system prints it (RFC 5952, `::` at most once). */
function prefix64(ip: string): string {
  const [head = '', tail] = ip.split('::');
  const first = head === '' ? [] : head.split(':');
  if (tail === undefined) return first.slice(0, 4).join(':');
  const last = tail === '' ? [] : tail.split(':');
  // A dotted last part (::ffff:1.2.3.4) stands for two groups.
  const lastGroups = last.length + (tail.includes('.') ? 1 : 0);
  const zeros = Array<string>(8 - first.length - lastGroups).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
