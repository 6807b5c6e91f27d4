/** Measures the rate table: the cost of a request, and the memory after a million distinct addresses. */
import { rates, windowSeconds } from '../src/core/limits.ts';
import { unlimited } from '../src/core/platform.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { createRateWindows, windowValues } from '../src/edges/node/limits/counters.ts';
import { allocateTable } from '../src/edges/node/limits/shared-table.ts';
import { createIdentify } from '../src/ingress/limits/identity.ts';
import { megabytes, printLine, printTable } from './report.ts';

const million = 1_000_000;
const clients = 1_000;
const identify = createIdentify('a secret of 32 base64 characters');
const keyOf = (ip: string) => identify(ip).key;
const { perWindow } = rates.general;
const windowMs = windowSeconds * 1000;

const addressAt = (at: number): string => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

const createTable = () => createRateWindows(allocateTable(bounds.maxRateKeys, windowValues), perWindow, 1);

/** The number of keys. */
const sizeOf = ({ table }: ReturnType<typeof createTable>): number => table.expiresMs.filter((ms) => ms !== 0).length;

/** Median over rounds of the time of one request. */
function nsPerRequest(requests: number, round: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    round();
    return ((performance.now() - began) * 1e6) / requests;
  });
  return times.sort((a, b) => a - b)[4] as number;
}

function measure(): void {
  let nowMs = 0;
  const keys = Array.from({ length: clients }, (_, at) => keyOf(addressAt(at)));
  const keyNs = nsPerRequest(20_000, () => {
    for (let at = 0; at < 20_000; at += 1) keyOf(addressAt(at));
  });
  const table = createTable();
  const expect = (allowed: boolean) => (): void => {
    if (allowed) nowMs += windowMs + 1;
    for (let each = 0; each < perWindow; each += 1) {
      for (const key of keys)
        if (table.consume(key, nowMs, { ...unlimited }) !== allowed) throw new Error('the table counted incorrectly');
    }
  };
  const allowedNs = nsPerRequest(clients * perWindow, expect(true));
  const rejectedNs = nsPerRequest(clients * perWindow, expect(false));

  const before = residentBytes();
  const crowd = createTable();
  const consumeFrom = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) crowd.consume(keyOf(addressAt(at)), at / 1000, { ...unlimited });
  };
  consumeFrom(0, bounds.maxRateKeys);
  const fullBytes = residentBytes() - before;
  const began = performance.now();
  consumeFrom(bounds.maxRateKeys, million);
  const newAddressNs = ((performance.now() - began) * 1e6) / (million - bounds.maxRateKeys);
  const afterMillionBytes = residentBytes() - before;
  const sizeAfterMillion = sizeOf(crowd);
  for (let each = 1; each < perWindow; each += 1) {
    for (let at = million - bounds.maxRateKeys; at < million; at += 1)
      crowd.consume(keyOf(addressAt(at)), 1000 + each, { ...unlimited });
  }
  const mostBytes = residentBytes() - before;
  if (sizeOf(crowd) > bounds.maxRateKeys) throw new Error('the table exceeds its bound');
  printLine('\nThe rate table');
  printTable([
    ['', 'time', 'memory'],
    ['an allowed request', `${allowedNs.toFixed(0)} ns`, ''],
    ['a rejected request', `${rejectedNs.toFixed(0)} ns`, ''],
    ['the key of an address, once per connection', `${keyNs.toFixed(0)} ns`, ''],
    ['a request from a new address, table full, including its key', `${newAddressNs.toFixed(0)} ns`, ''],
    ['table just full', '', `${megabytes(fullBytes)} MB`],
    [`after a million distinct addresses (${sizeAfterMillion} stored)`, '', `${megabytes(afterMillionBytes)} MB`],
    ['full of addresses with no requests left', '', `${megabytes(mostBytes)} MB`],
  ]);
}

measure();
