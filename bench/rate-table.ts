/** Measures the rate table alone: the cost of a call, and what a million distinct addresses leave in memory. */
import { rates, windowSeconds } from '../src/core/limits.ts';
import { bounds } from '../src/edges/node/bounds.ts';
import { rateKeyOf, rateTable } from '../src/edges/node/rate-table.ts';

export interface RateTableCost {
  /** Nanoseconds for the key of an address, made once for each connection. */
  readonly keyNs: number;
  /** Nanoseconds for a call that is allowed, and for one that is refused. */
  readonly allowedNs: number;
  readonly refusedNs: number;
  /** Nanoseconds for a call of an address never seen, with the table full. */
  readonly unseenNs: number;
  /** Bytes of heap: the table when first full, after a million addresses, and full of addresses that used all their calls. */
  readonly fullBytes: number;
  readonly afterMillionBytes: number;
  readonly mostBytes: number;
  readonly sizeAfterMillion: number;
}

const million = 1_000_000;
const callers = 1_000;
const { perWindow } = rates.general;
const windowMs = windowSeconds * 1000;

const address = (at: number): string => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Median over rounds of the time of one call. */
function nsPerCall(calls: number, round: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    round();
    return ((performance.now() - began) * 1e6) / calls;
  });
  return times.sort((a, b) => a - b)[4] as number;
}

function measure(): RateTableCost {
  let nowMs = 0;
  const keys = Array.from({ length: callers }, (_, at) => rateKeyOf(address(at)));
  const keyNs = nsPerCall(20_000, () => {
    for (let at = 0; at < 20_000; at += 1) rateKeyOf(address(at));
  });
  const table = rateTable(perWindow, windowMs, bounds.maxRateKeys);
  const expect = (allowed: boolean) => (): void => {
    if (allowed) nowMs += windowMs + 1;
    for (let each = 0; each < perWindow; each += 1) {
      for (const key of keys) if (table.spend(key, nowMs) !== allowed) throw new Error('counted wrongly');
    }
  };
  const allowedNs = nsPerCall(callers * perWindow, expect(true));
  const refusedNs = nsPerCall(callers * perWindow, expect(false));

  const before = heapBytes();
  const crowd = rateTable(perWindow, windowMs, bounds.maxRateKeys);
  const seen = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) crowd.spend(rateKeyOf(address(at)), at / 1000);
  };
  seen(0, bounds.maxRateKeys);
  const fullBytes = heapBytes() - before;
  const began = performance.now();
  seen(bounds.maxRateKeys, million);
  const unseenNs = ((performance.now() - began) * 1e6) / (million - bounds.maxRateKeys);
  const afterMillionBytes = heapBytes() - before;
  const sizeAfterMillion = crowd.size();
  for (let each = 1; each < perWindow; each += 1) {
    for (let at = million - bounds.maxRateKeys; at < million; at += 1) crowd.spend(rateKeyOf(address(at)), 1000 + each);
  }
  const mostBytes = heapBytes() - before;
  if (crowd.size() > bounds.maxRateKeys) throw new Error('the table outgrew its bound');
  return { keyNs, allowedNs, refusedNs, unseenNs, fullBytes, afterMillionBytes, mostBytes, sizeAfterMillion };
}

process.send?.(measure());
process.disconnect?.();
