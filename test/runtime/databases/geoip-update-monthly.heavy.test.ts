/** GEOIP_AUTO_UPDATE: databases older than a month are downloaded at the start and then daily; after a failure sooner. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readSettings, type Settings } from '../../../src/core/settings.ts';
import { collectGarbage, releaseFreeMemory } from '../../../src/native/garbage.ts';
import { updateMonthly } from '../../../src/runtime/databases/geoip-update.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { nestedOslo, writeMmdb } from '../../mmdb.ts';
import { until } from '../../until.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 20);
/** In parts, because the whole would remain as garbage. */
const emptyMebibyte = gzipSync(Buffer.alloc(2 ** 20));

interface Run {
  readonly dataDir: string;
  /** Paths that the server received so far. */
  readonly requested: readonly string[];
  /** The databases' ages in days at the start; null for none. */
  readonly setAges: (ages: Readonly<Record<'city' | 'asn', number | null>>) => void;
  /** Sets the status of later responses, or only of those of one kind, and how many MiB their databases have that nothing refers to. */
  readonly respondWith: (status: number, unusedMb?: number, only?: 'city' | 'asn') => void;
  readonly pass: (days: number) => void;
  readonly start: (environment?: Readonly<Record<string, string>>) => void;
  /** Waits for this many lines in the log and returns them. */
  readonly lines: (count: number) => Promise<readonly string[]>;
}

async function prepare(t: TestContext): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), 'seenby-monthly-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const requested: string[] = [];
  const logged: string[] = [];
  const statuses = { city: 200, asn: 200 };
  let bodies = bodiesWith(0);
  let woken = Promise.withResolvers<void>();
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const kind = url.includes('city') ? 'city' : 'asn';
    const body = bodies[kind];
    const status = statuses[kind];
    response.writeHead(status).end(status === 200 ? body : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: startMs });
  const builtAt: Record<'city' | 'asn', Date | null> = { city: null, asn: null };
  return {
    dataDir,
    requested,
    setAges(ages) {
      for (const kind of ['city', 'asn'] as const) {
        const days = ages[kind];
        builtAt[kind] = days === null ? null : new Date(startMs - days * dayMs);
      }
    },
    respondWith: (status, unusedMb = 0, only) => {
      for (const kind of only === undefined ? (['city', 'asn'] as const) : [only]) statuses[kind] = status;
      bodies = bodiesWith(unusedMb);
    },
    pass: (days) => t.mock.timers.tick(days * dayMs),
    start(environment = {}) {
      const settings = readSettings({ 'data-dir': dataDir, 'geoip-url': base }, environment) as Settings;
      const write = (line: string): void => {
        logged.push(line.replaceAll(base, 'BASE').replaceAll(dataDir, 'DATA'));
        woken.resolve();
      };
      const log = createLog({ format: 'plain', level: 'info', write });
      t.after(updateMonthly(settings, { builtAt: (kind) => builtAt[kind] }, log));
    },
    async lines(count) {
      while (logged.length < count) {
        await woken.promise;
        woken = Promise.withResolvers();
      }
      return logged.slice();
    },
  };
}

/** Compressed databases, with unused bytes before their metadata. */
function bodiesWith(unusedMb: number) {
  const bodyOf = (databaseType: string): Buffer => {
    // Of both kinds, so that each is accepted.
    const record = { ...nestedOslo, traits: { autonomous_system_number: 2119 } };
    const database = writeMmdb({ databaseType, ipVersion: 6, networks: { '127.0.0.0/8': record } });
    const at = database.lastIndexOf(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));
    const parts = [gzipSync(database.subarray(0, at)), ...Array<Buffer>(unusedMb).fill(emptyMebibyte)];
    return Buffer.concat([...parts, gzipSync(database.subarray(at))]);
  };
  return { city: bodyOf('DBIP-City-Lite'), asn: bodyOf('DBIP-ASN-Lite') };
}

const city = '/dbip-city-lite-2026-01.mmdb.gz';
const asn = '/dbip-asn-lite-2026-01.mmdb.gz';

test('downloads old and missing databases at the start, and logs one line for each', async (t) => {
  const { dataDir, requested, setAges, start, lines } = await prepare(t);
  setAges({ city: 31, asn: null });
  start();
  assert.deepEqual(await lines(2), [
    'downloaded the city database to DATA/dbip-city-lite.mmdb',
    'downloaded the asn database to DATA/dbip-asn-lite.mmdb',
  ]);
  assert.deepEqual(requested, [city, asn]);
  assert.deepEqual(readdirSync(dataDir).toSorted(), ['dbip-asn-lite.mmdb', 'dbip-city-lite.mmdb']);
});

test('downloads a database on the day on which it is a month old', async (t) => {
  const { requested, setAges, start, pass, lines } = await prepare(t);
  setAges({ city: 29, asn: 0 });
  start();
  pass(1);
  assert.deepEqual(requested, []);
  pass(1);
  assert.deepEqual(await lines(1), ['downloaded the city database to DATA/dbip-city-lite.mmdb']);
  setAges({ city: -2, asn: 0 });
  pass(1);
  assert.deepEqual(requested, [city]);
});

test('keeps the old database on failure, and states when it tries again: after a minute, then less and less often', async (t) => {
  const { dataDir, setAges, respondWith, start, pass, lines } = await prepare(t);
  setAges({ city: 40, asn: 0 });
  respondWith(503);
  start();
  const failure =
    /^could not update the city database from BASE: the server responded with status 503; the city database in use stays; next attempt in (\d+) (seconds|minutes|hours)$/;
  const units: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600 };
  const pauses: number[] = [];
  for (let attempts = 1; attempts <= 14; attempts += 1) {
    const [, count, unit = ''] = failure.exec((await lines(attempts)).at(-1) ?? '') ?? [];
    pauses.push(Number(count) * (units[unit] ?? Number.NaN));
    const longest = Math.min(86_400, 60 * 2 ** (attempts - 1));
    // The line has whole units.
    const last = pauses.at(-1) ?? 0;
    const unitSeconds = units[unit] ?? 0;
    const isExpected = last > longest / 2 - unitSeconds && last < longest + unitSeconds;
    assert.ok(isExpected, `${last} s after ${attempts} failures`);
    if (attempts === 14) respondWith(200);
    pass((last + unitSeconds) / 86_400);
  }
  assert.equal((await lines(15)).at(-1), 'downloaded the city database to DATA/dbip-city-lite.mmdb');
  assert.deepEqual(readdirSync(dataDir), ['dbip-city-lite.mmdb']);
});

test('after a failure, it does not download the other database again', async (t) => {
  const { requested, setAges, respondWith, start, pass, lines } = await prepare(t);
  setAges({ city: 40, asn: 40 });
  respondWith(503, 0, 'city');
  start();
  await lines(2);
  pass(1 / 1440);
  await lines(3);
  assert.deepEqual(requested, [city, asn, city]);
});

test('leaves databases alone that the operator set', async (t) => {
  const { requested, setAges, start, lines } = await prepare(t);
  setAges({ city: 90, asn: 90 });
  start({ GEOIP_CITY: '/operator/city.mmdb' });
  assert.deepEqual(await lines(1), ['downloaded the asn database to DATA/dbip-asn-lite.mmdb']);
  assert.deepEqual(requested, [asn]);
});

test('what was read to check a download does not stay in memory', async (t) => {
  const { setAges, respondWith, start, lines } = await prepare(t);
  setAges({ city: 90, asn: 90 });
  respondWith(200, 96);
  collectGarbage();
  const atStart = process.memoryUsage.rss();
  start();
  await lines(2);
  // V8 frees the memory of buffers in a thread of its own.
  await until(() => {
    collectGarbage();
    releaseFreeMemory();
    return process.memoryUsage.rss() - atStart < 60 * 2 ** 20;
  });
});
