/** The house: what may import what. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A folder imports from itself and from what stands to its left. */
const order = ['core', 'client', 'resources', 'lookups', 'mcp', 'http', 'edges', 'cli.ts'];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const sources = globSync('src/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));

const roomOf = (file: string): number => order.indexOf(file.split(sep)[1] ?? '');

test('every file stands in a room of the house', () => {
  assert.ok(sources.length > 50);
  for (const { file } of sources) assert.notEqual(roomOf(file), -1, file);
});

test('imports go to the left', () => {
  for (const { file, text } of sources) {
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), target));
      assert.ok(roomOf(imported) !== -1 && roomOf(imported) <= roomOf(file), `${file} imports ${imported}`);
    }
  }
});

/** The layer between a proxy and whoever has the sockets, and the simulation that may stand before any application. */
const shared = [join('src', 'edges', 'proxy'), join('src', 'edges', 'simulated.ts')];

test('no edge imports another edge, but what is made to stand between', () => {
  for (const { file, text } of sources.filter(({ file }) => file.startsWith(join('src', 'edges')))) {
    const own = join(...file.split(sep).slice(0, 3));
    for (const [, target = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), target));
      if (!imported.startsWith(join('src', 'edges')) || shared.some((each) => imported.startsWith(each))) continue;
      assert.ok(imported.startsWith(own), `${file} imports ${imported}`);
    }
  }
});

test('only the Node edge and the command line know Node', () => {
  for (const { file, text } of sources) {
    if (file.startsWith(join('src', 'edges', 'node')) || file === join('src', 'cli.ts')) continue;
    assert.doesNotMatch(text, /from 'node:/, file);
  }
});

test('every file begins by saying what it is', () => {
  for (const { file, text } of sources) assert.ok(/^\/\*\*(\n \*)? .+/.test(text), file);
});
