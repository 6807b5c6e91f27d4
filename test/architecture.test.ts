/** The architecture: which folder may import which, and which may touch the private parts of Node. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { test } from 'node:test';
import { assertOnlyKnown, privatePartsOf, projectFolder, sourceFiles } from './source-files.ts';

/** A folder imports only from itself and from folders left of it. */
const order = [
  'wire',
  ...['native', 'ingress'],
  ...[
    'core',
    'client',
    'traits',
    'probes',
    'resources',
    'lookups',
    'dialects',
    'mcp',
    'http',
    'edges',
    'runtime',
    'cli',
  ],
];

const layerOf = (file: string): number => order.indexOf(file.split('/')[1] ?? '');

test('every source file belongs to a layer', () => {
  assert.ok(sourceFiles.length > 50);
  for (const { file } of sourceFiles) assert.notEqual(layerOf(file), -1, file);
});

test('imports only from lower layers', () => {
  const isLower = (imported: string, file: string) => layerOf(imported) !== -1 && layerOf(imported) <= layerOf(file);
  for (const { file, imports } of sourceFiles)
    for (const imported of imports) assert.ok(isLower(imported, file), `${file} imports ${imported}`);
});

test('wire is a leaf: it imports nothing, and no Buffer', () => {
  const files = sourceFiles.filter(({ file }) => file.startsWith('src/wire/'));
  assert.ok(files.length > 0);
  for (const { file, code, imports } of files) {
    for (const imported of imports) assert.ok(imported.startsWith('src/wire/'), `${file} imports ${imported}`);
    assert.doesNotMatch(code, /from '[^.]|\bBuffer\b/, file);
  }
});

/** Layers that several edges use: trusted proxies, and the simulation of network fields. */
const shared = ['src/edges/proxy/', 'src/edges/simulated.ts'];

test('edges import no other edge except the shared layers', () => {
  for (const { file, imports } of sourceFiles.filter(({ file }) => file.startsWith('src/edges/'))) {
    const own = file.split('/').slice(0, 3).join('/');
    for (const imported of imports) {
      if (!imported.startsWith('src/edges/') || shared.some((each) => imported.startsWith(each))) continue;
      assert.ok(imported.startsWith(own), `${file} imports ${imported}`);
    }
  }
});

/** Pairs of folders that an import connects, as text: the importing one first. */
function siblingImports(): Set<string> {
  const pairs = sourceFiles.flatMap(({ file, imports }) => imports.map((imported) => siblingsOf(file, imported)));
  return new Set(pairs.filter((pair) => pair !== null).map(([from, to]) => `${from} ${to}`));
}

/** Returns the folders at which two paths of one layer part; null if one of them is a file there. */
function siblingsOf(file: string, imported: string): [string, string] | null {
  const from = file.split('/');
  const to = imported.split('/');
  const depth = from.findIndex((part, at) => part !== to[at]) + 1;
  if (depth <= 2 || depth >= from.length || depth >= to.length) return null;
  return [from.slice(0, depth).join('/'), to.slice(0, depth).join('/')];
}

test('no two folders of a layer import each other', () => {
  const pairs = siblingImports();
  const mutual = [...pairs].filter((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return from < to && pairs.has(`${to} ${from}`);
  });
  assertOnlyKnown('these folders import each other; move what both need to one of them, or below it', mutual, []);
});

test('only the start of the service knows what terminates QUIC, and loads it if HTTP/3 is on', () => {
  const isOfQuic = (file: string): boolean => /^src\/(?:native\/quic|runtime\/http3)\//.test(file);
  const users = sourceFiles.filter(({ file, imports }) => !isOfQuic(file) && imports.some(isOfQuic));
  assert.deepEqual(users.map(({ file }) => file).sort(), ['src/runtime/serve.ts', 'src/runtime/serving-thread.ts']);
  for (const { file, code } of users) assert.doesNotMatch(code, /^import .*\/http3\//m, file);
});

test('no circle of files', () => {
  const importsOf = new Map(sourceFiles.map(({ file, imports }) => [file, imports]));
  const reachable = (file: string): Set<string> => {
    const found = new Set<string>();
    const left = [...(importsOf.get(file) ?? [])];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      left.push(...(importsOf.get(next) ?? []));
    }
    return found;
  };
  const reached = new Map(sourceFiles.map(({ file }) => [file, reachable(file)]));
  const inCircles = [...reached.keys()].filter((file) => reached.get(file)?.has(file));
  const circleOf = (file: string) =>
    inCircles.filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file));
  const circles = [...new Set(inCircles.map((file) => circleOf(file).toSorted().join(' ')))];
  assertOnlyKnown('these files import each other in a circle; imports of types count', circles, []);
});

const maxFiles = 16;

test(`at most ${maxFiles} files in a folder`, () => {
  const counts = new Map<string, number>();
  for (const { file } of sourceFiles) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const crowded = [...counts].filter(([, count]) => count > maxFiles).map(([folder]) => folder);
  assertOnlyKnown('these folders have too many files; group what belongs together', crowded, []);
});

const nodeFolders = ['native', 'ingress', 'edges/node', 'runtime', 'cli'].map((folder) => `src/${folder}/`);

test('only the layers of the Node process know Node', () => {
  for (const { file, text, imports } of sourceFiles) {
    if (nodeFolders.some((folder) => file.startsWith(folder))) continue;
    assert.doesNotMatch(text, /from 'node:/, file);
    const foreign = imports.find((imported) => /^src\/(?:native|ingress)\//.test(imported));
    assert.equal(foreign, undefined, file);
  }
});

test('only src/native relies on native code and on private members of Node', () => {
  const found = sourceFiles
    .filter(({ file }) => !file.startsWith('src/native/'))
    // `_meta` is the name of a member in the Model Context Protocol.
    .flatMap(({ file, code }) =>
      privatePartsOf(code.replaceAll(/\b_meta\b/g, 'meta')).map((part) => `${file}: ${part}`),
    );
  assertOnlyKnown('these files rely on what Node does not document; do it in src/native', found, []);
});

test("only types are imported from 'node:http'; the rest is in src/native/http.ts, which does not load fetch", () => {
  const found = sourceFiles.filter(({ code }) => /^import (?!type )[^;]* from 'node:http';/m.test(code));
  assert.deepEqual(
    found.map(({ file }) => file),
    [],
  );
});

test('every export has a use in another file', () => {
  const others = globSync('{bench,setup,test,tools}/**/*.ts', { cwd: projectFolder }).map((path) => ({
    file: path.replaceAll(sep, '/'),
    code: readFileSync(join(projectFolder, path), 'utf8'),
  }));
  const exported = /^export (?:async )?(?:class|const|function\*?|interface|let|type) ([\w$]+)/gm;
  const found = sourceFiles
    .filter(({ file }) => !file.includes('/generated/'))
    .flatMap(({ file, code }) => [...code.matchAll(exported)].map(([, name = '']) => ({ file, name })));
  const users = new Map(found.map(({ name }) => [name, new Set<string>()]));
  for (const { file, code } of [...sourceFiles, ...others])
    for (const [name] of code.matchAll(/[A-Za-z_$][\w$]*/g)) users.get(name)?.add(file);
  const unused = found
    .filter(({ file, name }) => users.get(name)?.isSubsetOf(new Set([file])))
    .map(({ file, name }) => `${file}: ${name}`);
  assertOnlyKnown('nothing else uses these exports; remove the word export, or what nobody uses', unused, []);
});

test('every file begins with a sentence that describes it', () => {
  for (const { file, text } of sourceFiles) assert.ok(/^\/\*\*(\n \*)? .+/.test(text), file);
});
