/** The architecture: which folder may import which. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A folder imports only from itself and from folders left of it. */
const order = [
  ...['native', 'ingress'],
  ...['core', 'client', 'traits', 'resources', 'lookups', 'mcp', 'http', 'edges', 'runtime', 'cli'],
];

/** Folders whose imports are still to be put in order. */
const pending = [join('src', 'ingress')];
const isPending = (file: string): boolean => pending.some((folder) => file.startsWith(folder));

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const sources = globSync('src/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));

const layerOf = (file: string): number => order.indexOf(file.split(sep)[1] ?? '');

test('every source file belongs to a layer', () => {
  assert.ok(sources.length > 50);
  for (const { file } of sources) assert.notEqual(layerOf(file), -1, file);
});

test('imports only from lower layers', () => {
  for (const { file, text } of sources) {
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), target));
      assert.ok(
        isPending(file) || (layerOf(imported) !== -1 && layerOf(imported) <= layerOf(file)),
        `${file} imports ${imported}`,
      );
    }
  }
});

/** Layers that several edges use: trusted proxies, and the simulation of network fields. */
const shared = [join('src', 'edges', 'proxy'), join('src', 'edges', 'simulated.ts')];

test('edges import no other edge except the shared layers', () => {
  for (const { file, text } of sources.filter(({ file }) => file.startsWith(join('src', 'edges')))) {
    const own = join(...file.split(sep).slice(0, 3));
    for (const [, target = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), target));
      if (!imported.startsWith(join('src', 'edges')) || shared.some((each) => imported.startsWith(each))) continue;
      assert.ok(imported.startsWith(own), `${file} imports ${imported}`);
    }
  }
});

const nodeFolders = ['native', 'ingress', join('edges', 'node'), 'runtime', 'cli'].map((folder) => join('src', folder));

test('only the rooms of the Node process know Node', () => {
  for (const { file, text } of sources) {
    if (nodeFolders.some((folder) => file.startsWith(folder))) continue;
    assert.doesNotMatch(text, /from 'node:/, file);
  }
});

test('every file begins with a sentence that describes it', () => {
  for (const { file, text } of sources) assert.ok(/^\/\*\*(\n \*)? .+/.test(text), file);
});
