/** Counts requests by key over a sliding window, in a bounded table without addresses. */
import { hash, randomBytes } from 'node:crypto';
import { clientNetworkOf } from '../../../core/address.ts';
import { discardIdleKeys } from './idle-keys.ts';

/** Counts one request of this key at this time; false, counting nothing, if the window is full. */
export type Consume = (key: string, nowMs: number) => boolean;

export interface RateTable {
  readonly consume: Consume;
  /** Removes the key's last request. */
  readonly refund: (key: string) => void;
  /** Discards every key whose requests have left the window. */
  readonly prune: (nowMs: number) => void;
  readonly size: () => number;
}

/** `perWindow` 0 means no limit. Above `maxKeys`, keys that have been idle longest are discarded. */
export function createRateTable(perWindow: number, windowMs: number, maxKeys: number): RateTable {
  /** Request times in the window, oldest first; the keys are in order of their last request. */
  const calls = new Map<string, number[]>();

  function consume(key: string, nowMs: number): boolean {
    if (perWindow === 0) return true;
    const times = calls.get(key) ?? [];
    const kept = times.findIndex((time) => time > nowMs - windowMs);
    if (kept !== 0) times.splice(0, kept === -1 ? times.length : kept);
    if (times.length >= perWindow) return false;
    times.push(nowMs);
    calls.delete(key);
    calls.set(key, times);
    discardIdleKeys(calls, maxKeys);
    return true;
  }

  function prune(nowMs: number): void {
    for (const [key, times] of calls) {
      if ((times.at(-1) ?? 0) > nowMs - windowMs) return;
      calls.delete(key);
    }
  }

  const refund = (key: string): void => {
    calls.get(key)?.pop();
  };

  return { consume, refund, prune, size: () => calls.size };
}

const secret = randomBytes(24).toString('base64');

const keyLength = 22;

/**
 * Returns the key that counts an address: a hash keyed with a secret of this process; IPv6 addresses of one /64 share it. For IPv6,
 * the key of the /48 follows.
 */
export function rateKeyOf(ip: string | null): string {
  const key = hashOf(ip === null ? '' : clientNetworkOf(ip));
  return ip?.includes(':') ? key + hashOf(clientNetworkOf(ip, 48)) : key;
}

/** Divides a key into that of the client and that of its /48, which is null for IPv4. */
export function keysOf(rateKey: string): { readonly client: string; readonly network: string | null } {
  if (rateKey.length <= keyLength) return { client: rateKey, network: null };
  return { client: rateKey.slice(0, keyLength), network: rateKey.slice(keyLength) };
}

function hashOf(text: string): string {
  return hash('sha256', secret + text, 'base64').slice(0, keyLength);
}
