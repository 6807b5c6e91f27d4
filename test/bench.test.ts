/** The benchmark's budgets: their directions and tolerances, and a row of docs/benchmarks.md for each. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { budgets, formatValue, isWorse, type RowName } from '../bench/budgets.ts';

test('a share is worse below its budget, a multiple above it, both beyond the tolerance', () => {
  const rows: readonly [RowName, number, boolean][] = [
    ['visit-json', 0.9, false],
    ['visit-json', 0.73, false],
    ['visit-json', 0.71, true],
    ['mcp-2026-07-28', 3.8, false],
    ['mcp-2026-07-28', 4.1, false],
    ['mcp-2026-07-28', 9.7, true],
  ];
  for (const [name, value, expected] of rows) assert.equal(isWorse(name, value), expected, `${name} ${value}`);
});

test('a value names its direction', () => {
  assert.equal(formatValue('json', 0.512), '0.51 of bare');
  assert.equal(formatValue('mcp-2025-06-18', 3.61), '3.6 × bare');
});

test('docs/benchmarks.md has a row for each', () => {
  const lines = readFileSync(new URL('../docs/benchmarks.md', import.meta.url), 'utf8').split('\n');
  const titles = Object.values(budgets).map(({ title }) => title);
  const missing = titles.filter((title) => !lines.some((line) => line.startsWith(`| ${title} |`)));
  assert.deepEqual(missing, []);
});
