/** A complete download replaces a database; a failed one changes nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readSettings, type Settings } from '../../../src/core/settings.ts';
import { openDatabase } from '../../../src/edges/node/geoip/geoip.ts';
import { type Download, updateDatabase } from '../../../src/runtime/databases/geoip-update.ts';
import { nestedOslo, writeMmdb } from '../../mmdb.ts';
import { until } from '../../until.ts';

const city = writeMmdb({ databaseType: 'DBIP-City-Lite', ipVersion: 6, networks: { '127.0.0.0/8': nestedOslo } });
const asn = writeMmdb({
  databaseType: 'DBIP-ASN-Lite',
  ipVersion: 6,
  networks: { '127.0.0.0/8': { autonomous_system_number: 2119, autonomous_system_organization: 'Telenor Norge AS' } },
});
const zipped = gzipSync(city);
const half = zipped.subarray(0, zipped.length / 2);
const january = new Date('2026-01-31T23:59:59Z');
const thisMonth = '/dbip-city-lite-2026-01.mmdb.gz';
const monthBefore = '/dbip-city-lite-2025-12.mmdb.gz';
const old = 'what was there';

interface Run {
  readonly dataDir: string;
  readonly base: string;
  readonly requested: readonly string[];
  readonly reported: readonly (readonly [file: string, receivedBytes: number, totalBytes: number | null])[];
  readonly logged: readonly string[];
  readonly update: (kind?: 'city' | 'asn') => Promise<string>;
}

/** Runs against a real server and a new data folder. */
async function against(
  listener: RequestListener,
  body: (run: Run) => Promise<void>,
  timeouts: Pick<Download, 'stallTimeoutMs' | 'timeoutMs'> = {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'seenby-update-'));
  const requested: string[] = [];
  const reported: [string, number, number | null][] = [];
  const logged: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = readSettings({ 'data-dir': dataDir, 'geoip-url': base }, {}) as Settings;
  const update = (kind: 'city' | 'asn' = 'city') =>
    updateDatabase(settings, kind, {
      progress: (...each) => reported.push(each),
      now: january,
      stallTimeoutMs: 60_000,
      ...timeouts,
      log: (_, message) => void logged.push(message),
    });
  try {
    await body({ dataDir, base, requested, reported, logged, update });
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(dataDir, { recursive: true });
  }
}

function send(response: ServerResponse, body: Buffer, status = 200): void {
  response.writeHead(status, { 'Content-Length': body.length }).end(body);
}

function assertMonotonic(reported: Run['reported']): void {
  reported.forEach(([, bytes], at) => {
    assert.ok(bytes > (reported[at - 1]?.[1] ?? 0), `${bytes} after ${reported[at - 1]?.[1]}`);
  });
}

test('writes a valid database and reports the progress', () =>
  against(
    (_, response) => send(response, zipped),
    async ({ dataDir, requested, reported, update }) => {
      const file = await update();
      assert.equal(file, join(dataDir, 'dbip-city-lite.mmdb'));
      assert.deepEqual(readFileSync(file), city);
      const opened = await openDatabase('city', { setting: 'dataDir', files: [file] });
      assert.equal(opened.locationOf('127.0.0.1').city, nestedOslo.city.names.en);
      assert.deepEqual(requested, [thisMonth]);
      assert.deepEqual(reported.at(-1), [thisMonth.slice(1), zipped.length, zipped.length]);
      assertMonotonic(reported);
      assert.deepEqual(readdirSync(dataDir), ['dbip-city-lite.mmdb']);
    },
  ));

test('removes the unfinished downloads of updates that were killed, and logs it', () =>
  against(
    (_, response) => send(response, zipped),
    async ({ dataDir, logged, update }) => {
      const inFolder = (suffix: string): string => join(dataDir, `dbip-city-lite.mmdb${suffix}`);
      const running = inFolder('.download-1');
      // The second name is that of version 1.1.
      const killed = ['.download-2', '.download'].map(inFolder);
      const ofOperator = inFolder('.downloaded');
      const ofAnother = join(dataDir, 'dbip-asn-lite.mmdb.download-1');
      for (const file of [running, ...killed, ofOperator, ofAnother]) writeFileSync(file, half);
      const anHourAgo = new Date(Date.now() - 3_600_000);
      for (const file of [...killed, ofOperator, ofAnother]) utimesSync(file, anHourAgo, anHourAgo);
      assert.deepEqual(readFileSync(await update()), city);
      assert.deepEqual(
        logged.toSorted(),
        killed.map((file) => `removing the unfinished download "${file}" of an update that was killed`).toSorted(),
      );
      const left = [ofAnother, inFolder(''), running, ofOperator].map((file) => basename(file));
      assert.deepEqual(readdirSync(dataDir).toSorted(), left);
    },
  ));

test('succeeds beside another update of the same database', async () => {
  const second = Promise.withResolvers<ServerResponse>();
  const firstHasEnded = Promise.withResolvers<void>();
  let requests = 0;
  await against(
    async (_, response) => {
      requests += 1;
      response.writeHead(200, { 'Content-Length': zipped.length }).write(half);
      if (requests === 2) second.resolve(response);
      await (requests === 1 ? second : firstHasEnded).promise;
      response.end(zipped.subarray(half.length));
    },
    async ({ dataDir, reported, logged, update }) => {
      const first = update();
      await until(() => reported.length > 0);
      const updates = [first, update()];
      assert.deepEqual(readFileSync(await first), city);
      firstHasEnded.resolve();
      await Promise.all(updates);
      assert.deepEqual(readFileSync(join(dataDir, 'dbip-city-lite.mmdb')), city);
      assert.deepEqual(readdirSync(dataDir), ['dbip-city-lite.mmdb']);
      assert.deepEqual(logged, []);
    },
  );
});

test('reports the progress of a download without a length', () =>
  against(
    (_, response) => {
      const pieces = [...half].map((_, at) => half.subarray(at, at + 1));
      const next = (): void => {
        const piece = pieces.shift();
        if (piece === undefined) response.end(zipped.subarray(half.length));
        else response.write(piece, next);
      };
      next();
    },
    async ({ reported, update }) => {
      await update();
      assertMonotonic(reported);
      assert.ok(reported.length > 1, `${reported.length} pieces`);
      assert.ok(reported.every(([, , total]) => total === null));
      assert.equal(reported.at(-1)?.[1], zipped.length);
    },
  ));

test('waits for a slow server while data arrives within the stall timeout', () =>
  against(
    (_, response) => {
      const pieceBytes = Math.ceil(zipped.length / 5);
      const pieces = [0, 1, 2, 3, 4].map((at) => zipped.subarray(at * pieceBytes, (at + 1) * pieceBytes));
      const timer = setInterval(() => {
        response.write(pieces.shift());
        if (pieces.length > 0) return;
        clearInterval(timer);
        response.end();
      }, 500);
    },
    async ({ update }) => assert.deepEqual(readFileSync(await update()), city),
    // Less than all pieces take, and much more than one.
    { stallTimeoutMs: 2_000 },
  ));

test('replaces only the older database of the same kind', () =>
  against(
    (_, response) => send(response, gzipSync(asn)),
    async ({ dataDir, requested, update }) => {
      for (const kind of ['asn', 'city']) writeFileSync(join(dataDir, `dbip-${kind}-lite.mmdb`), old);
      await update('asn');
      assert.deepEqual(requested, ['/dbip-asn-lite-2026-01.mmdb.gz']);
      assert.deepEqual(readFileSync(join(dataDir, 'dbip-asn-lite.mmdb')), asn);
      assert.equal(readFileSync(join(dataDir, 'dbip-city-lite.mmdb'), 'utf8'), old);
    },
  ));

test('downloads the previous month if this one is not published, also in January', () =>
  against(
    ({ url }, response) => (url === thisMonth ? send(response, Buffer.from('no'), 404) : send(response, zipped)),
    async ({ requested, reported, update }) => {
      assert.deepEqual(readFileSync(await update()), city);
      assert.deepEqual(requested, [thisMonth, monthBefore]);
      assert.equal(reported.at(-1)?.[0], monthBefore.slice(1));
    },
  ));

test('follows a redirect', () =>
  against(
    ({ url }, response) =>
      url === '/elsewhere' ? send(response, zipped) : response.writeHead(302, { Location: '/elsewhere' }).end(),
    async ({ requested, update }) => {
      assert.deepEqual(readFileSync(await update()), city);
      assert.deepEqual(requested, [thisMonth, '/elsewhere']);
    },
  ));

/** Sends the first half, then closes. */
function breakOff(response: ServerResponse, headers: Record<string, string | number>): void {
  response.writeHead(200, headers);
  response.write(half, () => response.socket?.destroy());
}

const late = /not complete after 1 seconds/;
const stalled = /no data for 0\.5 s/;
const failures: readonly [name: string, listener: RequestListener, reason: RegExp][] = [
  [
    'closes half-way through a stated length',
    (_, response) => breakOff(response, { 'Content-Length': zipped.length }),
    /.+/,
  ],
  ['closes half-way through chunks', (_, response) => breakOff(response, {}), /.+/],
  [
    'ends half-way without a length, as if it were whole',
    (_, response) => {
      response.socket?.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), half]));
    },
    /unexpected end of file/,
  ],
  ['ends its chunks half-way, as if they were whole', (_, response) => response.end(half), /unexpected end of file/],
  ['sends nothing', (_, response) => send(response, Buffer.alloc(0)), /is not a database|unexpected end/],
  ['sends what is not gzip', (_, response) => send(response, city), /incorrect header check/],
  [
    'sends gzip of garbage',
    (_, response) => send(response, gzipSync('garbage'.repeat(1000))),
    /is not a database in MaxMind's format, or is damaged/,
  ],
  [
    'sends gzip of half a database',
    (_, response) => send(response, gzipSync(city.subarray(0, city.length / 2))),
    /is not a database in MaxMind's format, or is damaged/,
  ],
  ['sends a database of another type', (_, response) => send(response, gzipSync(asn)), /has no location: its type is/],
  ['responds with 503', (_, response) => send(response, zipped, 503), /status 503/],
  ['responds with 404 for both months', (_, response) => send(response, zipped, 404), /status 404/],
  ['never responds', () => {}, stalled],
  [
    'stalls half-way',
    (_, response) => {
      response.writeHead(200, { 'Content-Length': zipped.length }).write(half);
    },
    stalled,
  ],
  [
    'sends a byte now and then',
    (_, response) => {
      response.writeHead(200, { 'Content-Length': zipped.length });
      const bytes = zipped.values();
      const timer = setInterval(() => response.write(Buffer.of(bytes.next().value ?? 0)), 100);
      response.on('close', () => clearInterval(timer));
    },
    late,
  ],
  ['redirects in a circle', ({ url }, response) => response.writeHead(302, { Location: url }).end(), /redirect count/],
];

for (const [name, listener, reason] of failures) {
  test(`changes nothing if the server ${name}`, () =>
    against(
      listener,
      async ({ dataDir, reported, update }) => {
        const file = join(dataDir, 'dbip-city-lite.mmdb');
        writeFileSync(file, old);
        await assert.rejects(update(), ({ message }: Error) => {
          assert.match(
            message,
            /^could not update the city database from http:\/\/[^ ]+: .+; the city database in use stays$/,
          );
          assert.match(message, reason);
          return true;
        });
        assert.equal(readFileSync(file, 'utf8'), old);
        assert.deepEqual(readdirSync(dataDir), ['dbip-city-lite.mmdb']);
        assertMonotonic(reported);
      },
      reason === stalled ? { stallTimeoutMs: 500 } : reason === late ? { timeoutMs: 500 } : {},
    ));
}

test('requests the previous month only after a 404', () =>
  against(
    (_, response) => send(response, zipped, 503),
    async ({ requested, update }) => {
      await assert.rejects(update());
      assert.deepEqual(requested, [thisMonth]);
    },
  ));

test('reports why a server is unreachable', () =>
  against(
    ({ socket }) => socket.destroy(),
    async ({ update }) => {
      await assert.rejects(update(), ({ message }: Error) => {
        assert.doesNotMatch(message, /fetch failed/);
        return true;
      });
    },
  ));
