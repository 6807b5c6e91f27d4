/** Figures of documents: those that stand in several follow from docs/benchmarks.md, and others from the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { documentMegabytes, stunResponsesPerSecond } from '../src/core/limits.ts';
import { readDeviceTable } from '../src/edges/node/device-table.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { allocateSharedMemory } from '../src/edges/node/limits/limits.ts';
import { createApp } from '../src/http/app.ts';
import { borders, land } from '../src/http/page/generated/world.ts';
import { readDatabasesMb } from '../src/runtime/databases/geoip-files.ts';
import { planMemory } from '../src/runtime/memory-plan.ts';
import { fitConnections } from '../src/runtime/process-limits.ts';
import { settingsOf } from './node-service.ts';
import { seenAll } from './observed.ts';
import { platformOf } from './platform.ts';
import { noBody } from './request-context.ts';
import { projectFolder } from './source-files.ts';

const read = (file: string): string => readFileSync(join(projectFolder, file), 'utf8');

/** Returns the numbers in the row of a table that begins with this cell. */
function numbersOf(file: string, cell: string): readonly number[] {
  const row = read(file)
    .split('\n')
    .find((line) => line.startsWith(`| ${cell} |`));
  assert.ok(row, `${file} has no row "${cell}"`);
  return [...row.slice(cell.length + 4).matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([text]) =>
    Number(text.replaceAll(',', '')),
  );
}

const benchmark = (cell: string): readonly number[] => numbersOf('docs/benchmarks.md', cell);

test('the capacity is what the benchmarks measure, for visits over HTTP/2', () => {
  const capacity = (cell: string): readonly number[] => numbersOf('docs/scale.md', cell);
  const isStated = (stated = 0, derived: number): void =>
    assert.ok(Math.abs(stated / derived - 1) < 0.02, `${stated}, in fact ${derived}`);
  const perSecond = (cell: string): number => 1e6 / (benchmark(cell)[0] ?? 0);
  const visits = perSecond('TLS visit to `/json` over HTTP/2');
  isStated(capacity('One core, visits')[0], visits);
  const [http1, , http2] = capacity('One core, `/json` on open connections');
  isStated(http1, perSecond('`/json`, Chrome, with location'));
  isStated(http2, perSecond('`/json` over HTTP/2, 4 connections with 20 streams each'));
  isStated(capacity('8 cores, visits')[0], 8 * visits);
  isStated(capacity('4 machines of 8 cores, visits')[0], 32 * visits);

  // In the busy hour three times the average, and half of the capacity.
  const millionsPerDay = (cores: number): number => (visits * cores * 86_400) / 2 / 3 / 1e6;
  const page = read('docs/scale.md').replaceAll(/\s+/g, ' ');
  const [, oneCore, eightCores] =
    /are then ([\d.]+) million per day for one core, and [\d,]+ are (\d+)/.exec(page) ?? [];
  isStated(Number(oneCore), millionsPerDay(1));
  isStated(Number(eightCores), millionsPerDay(8));
  const days = [...page.matchAll(/\| up to (\d+) million/g)].map(([, millions]) => Number(millions));
  assert.deepEqual(
    days.map((millions, at) => millions <= millionsPerDay([2, 8, 32][at] ?? 0)),
    [true, true, true],
  );
  const [, few, many] = /One store serves about (\d+) to (\d+) cores/.exec(page) ?? [];
  const [least = 0, most = 0] = capacity('One store server');
  assert.ok(Number(few) <= least / visits && Number(many) <= most / visits);
});

test('the README states the results of the benchmarks', () => {
  const readme = read('README.md').replaceAll(/\s+/g, ' ');
  const rounded = (values: readonly (number | undefined)[]): readonly number[] =>
    values.map((value = 0) => Math.round(value * 10) / 10);
  const stated = (pattern: RegExp): readonly number[] => pattern.exec(readme)?.slice(1).map(Number) ?? [];
  // Time, share and its middle half.
  const timesBare = (cell: string): readonly number[] => rounded([1 / (benchmark(cell)[1] ?? 0)]);
  assert.deepEqual(stated(/`\/ip` takes ([\d.]+) times/), timesBare('`/ip`, Chrome'));
  assert.deepEqual(stated(/`\/json` ([\d.]+) times/), timesBare('`/json`, Chrome, with location'));
  const [start] = benchmark('First response after process start');
  assert.deepEqual(stated(/first response comes ([\d.]+) s after/), rounded([start]));
});

/** Bytes of a text after Brotli of this quality. */
const compressed = (text: string, quality: number): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;

async function documentAt(path: string): Promise<string> {
  const observed = { ...seenAll, path, headers: { accept: 'text/html' } };
  const { body } = await createApp({ publicUrl: null, contact: null })(observed, platformOf(), noBody);
  return `${body}`;
}

/** The bytes of all tables of limits. */
function bytesIn(memory: object): number {
  return Object.values(memory).reduce<number>((sum, part) => {
    if (part instanceof SharedArrayBuffer) return sum + part.byteLength;
    return typeof part === 'object' && part !== null ? sum + bytesIn(part) : sum;
  }, 0);
}

/** Returns a function that compares the number in a document, at a pattern's group, with the actual one; 3 % may differ. */
function comparisonWith(file: string) {
  const text = read(file).replaceAll(/\s+/g, ' ');
  return (pattern: RegExp, actual: number): void => {
    const [, found = ''] = pattern.exec(text) ?? [];
    const stated = Number(found.replaceAll(',', ''));
    assert.ok(Math.abs(stated / actual - 1) < 0.03, `${file}, ${pattern}: ${stated}, in fact ${actual}`);
  };
}

const devices = readDeviceTable() ?? assert.fail();
const deviceModels = devices.slice(devices.indexOf('\n')).split('|').length - 1;

test('decisions.md states the sizes that the code has', async () => {
  const isStated = comparisonWith('docs/decisions.md');
  isStated(/those of today take (\d+) MB/, bytesIn(allocateSharedMemory(bounds, 1)) / 1e6);
  isStated(/into ([\d,]+) models and starts of models/, deviceModels);
  isStated(/one line of JSON of (\d+) KB/, (await documentAt('/openapi.json')).length / 1000);
  isStated(/Coasts and borders take ([\d.]+) KB compressed/, compressed(land + borders, 1) / 1000);
  const largest = compressed(await documentAt('/docs'), constants.BROTLI_MAX_QUALITY);
  isStated(/([\d,]+) compressed copies of the largest/, (documentMegabytes * 2 ** 20) / largest);
});

test('the page on Workers states the size of the table of devices that they lack', () => {
  const isStated = comparisonWith('docs/deploy/cloudflare.md');
  isStated(/has ([\d,]+) models and starts of models/, deviceModels);
  isStated(/models in (\d+) KB/, devices.length / 1000);
  isStated(/\((\d+) KB compressed\)/, gzipSync(devices).length / 1000);
});

/** What the page on containers states: with updates, with HTTP/3 too, and both without updates. */
const containerMemory = (): readonly number[] =>
  /at least (\d+) MB, or (\d+) MB with HTTP\/3: .*?`GEOIP_AUTO_UPDATE=off`, (\d+) MB, or (\d+) MB with HTTP\/3/
    .exec(read('docs/deploy/container.md').replaceAll(/\s+/g, ' '))
    ?.slice(1)
    .map(Number) ?? [];

test('the page on containers states a memory that suffices, and hardly more', () => {
  const [current, currentHttp3, embedded, embeddedHttp3] = containerMemory();
  const updated = readDatabasesMb(settingsOf({ geoipAutoUpdate: 'monthly' }));
  // The embedded one after its conversion.
  const asn = 13;
  for (const [stated = 0, hasHttp3, databasesMb] of [
    [current, false, updated],
    [currentHttp3, true, updated],
    [embedded, false, asn],
    [embeddedHttp3, true, asn],
  ] as const) {
    const needs = { threads: 1, cores: 1, maxMemory: null, hasHttp3, databasesMb, hasUpdates: true };
    const fits = (cgroup: number): boolean => {
      const available = { machine: 8192, cgroup };
      return !('problem' in planMemory(needs, available));
    };
    // A flood needs more than the start: test/abuse/least-memory.test.ts.
    assert.deepEqual([fits(stated), fits(stated * 0.75)], [true, false], `${stated}`);
  }
});

test('the page on deployment states the memory of a thread and of a container', () => {
  const numbers =
    /About (\d+) MB of memory for the first thread and (\d+) MB for each further one, .*? A container needs (\d+) MB, with HTTP\/3 (\d+) MB; with `GEOIP_AUTO_UPDATE=off`, (\d+) and (\d+) MB/
      .exec(read('docs/deploy/README.md'))
      ?.slice(1)
      .map(Number) ?? [];
  const [first = 0, further = 0, ...container] = numbers;
  for (const threads of [1, 2]) {
    const needs = { threads, cores: 2, maxMemory: 1, hasHttp3: false, hasUpdates: false, databasesMb: 0 };
    const plan = planMemory(needs, { machine: 8192, cgroup: null });
    const least = first + further * (threads - 1);
    assert.ok('problem' in plan && plan.problem.includes(`must be at least ${least},`), `${least}`);
  }
  assert.deepEqual(container, containerMemory());
});

test('operations.md quotes the lines that the limits write', () => {
  const operations = read('docs/operations.md');
  const needs = { threads: 16, cores: 16, maxMemory: null, hasHttp3: false, databasesMb: 0, hasUpdates: false };
  const plan = planMemory(needs, { machine: 8192, cgroup: 512 });
  assert.ok('problem' in plan && operations.includes(`\`seenby: ${plan.problem}\``));
  const fewer = planMemory({ ...needs, threads: 'auto' }, { machine: 8192, cgroup: 256 });
  assert.ok(
    'threads' in fewer && operations.includes(`serving with ${fewer.threads} of 16 threads, because ${fewer.reason}`),
  );
  const ports = { maxConnections: 10_000, maxOutbound: 256, port: 80, tlsPort: 443, http3Port: null };
  assert.ok(operations.includes(`\`closing new connections: ${fitConnections(ports, 1024).reason}\` (with two ports)`));
});

test('other pages state what the code has', () => {
  comparisonWith('SECURITY.md')(/A client gets (\d+) responses per second/, stunResponsesPerSecond);
  const { acmeRetryMs, acmeMaxRetryMs } = bounds;
  const certificates = comparisonWith('docs/deploy/certificates.md');
  certificates(/Attempts follow after (\d+), 10, 20 minutes/, acmeRetryMs / 60_000);
  certificates(/and so on, up to (\d+) hours/, acmeMaxRetryMs / 3_600_000);
});
