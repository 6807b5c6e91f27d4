/** Figures of documents: those that stand in several follow from docs/benchmarks.md, and others from the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { documentMegabytes } from '../src/core/limits.ts';
import { readDeviceTable } from '../src/edges/node/device-table.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { allocateLimits } from '../src/edges/node/limits/limits.ts';
import { createApp } from '../src/http/app.ts';
import { borders, land } from '../src/http/page/generated/world.ts';
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
  return [...row.slice(cell.length).matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([text]) => Number(text.replaceAll(',', '')));
}

const benchmark = (cell: string): readonly number[] => numbersOf('docs/benchmarks.md', cell);

test('the capacity of a core is what the benchmarks measure, less the stated reserve', () => {
  const capacity = (cell: string): readonly number[] => numbersOf('docs/scale.md', cell);
  const [visits = 0, reserve = 0] = capacity('One core, visits');
  const share = 1 - reserve / 100;
  const perSecond = (cell: string): number => (share * 1e6) / (benchmark(cell)[0] ?? 0);
  const isNear = (stated: number, measured: number): boolean => Math.abs(stated / measured - 1) < 0.05;
  assert.ok(isNear(visits, perSecond('TLS visit to `/json`')));
  const [http1 = 0, , http2 = 0] = capacity('One core, `/json` on open connections');
  assert.ok(isNear(http1, perSecond('`/json`, Chrome, with location')));
  assert.ok(isNear(http2, perSecond('`/json` over HTTP/2, 4 connections with 20 streams each')));
});

test('the README states the results of the benchmarks', () => {
  const [, json = 0] = /`\/json` ([\d.]+) times/.exec(read('README.md')) ?? [];
  const [, ofBare = 0] = benchmark('`/json`, Chrome, with location');
  assert.equal(Number(json), Math.round(10 / ofBare) / 10);
  const [, start = 0] = /first response comes ([\d.]+) s/.exec(read('README.md')) ?? [];
  assert.equal(Number(start), Math.round((benchmark('First response after process start')[0] ?? 0) * 10) / 10);
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

test('decisions.md states the sizes that the code has', async () => {
  const decisions = read('docs/decisions.md').replaceAll(/\s+/g, ' ');
  const isStated = (pattern: RegExp, actual: number): void => {
    const [, text = ''] = pattern.exec(decisions) ?? [];
    const stated = Number(text.replaceAll(',', ''));
    assert.ok(Math.abs(stated / actual - 1) < 0.03, `${pattern}: ${stated}, in fact ${actual}`);
  };
  const devices = readDeviceTable();
  isStated(/those of today take (\d+) MB/, bytesIn(allocateLimits(bounds, 1)) / 1e6);
  isStated(/into ([\d,]+) models and starts of models/, devices.slice(devices.indexOf('\n')).split('|').length - 1);
  isStated(/one line of JSON of (\d+) KB/, (await documentAt('/openapi.json')).length / 1000);
  isStated(/Coasts and borders take ([\d.]+) KB compressed/, compressed(land + borders, 1) / 1000);
  const largest = compressed(await documentAt('/docs'), constants.BROTLI_MAX_QUALITY);
  isStated(/([\d,]+) compressed copies of the largest/, (documentMegabytes * 2 ** 20) / largest);
});
