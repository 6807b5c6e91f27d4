/** Figures that stand in more than one document: they follow from those of docs/benchmarks.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
