/** The light library: what its examples print on each runtime, its size, its types, and the licenses of what it contains. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import * as real from '../../src/lookups/light/light.ts';
import { buildLight, entries } from '../../tools/light-package.ts';
import { findBun } from '../acceptance/bun.ts';
import { openBrowser, skipWithoutChromium } from '../browser/chromium.ts';
import { lightExamples } from '../library-examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { default: workerd } = createRequire(import.meta.url)('workerd') as { readonly default: string };
const installed = (...path: string[]): string => join(root, 'node_modules', ...path);

/** Programs that run a file, and their arguments before it. Those of the packages, which need no script after the installation. */
const runtimes: Readonly<Record<string, readonly string[]>> = {
  Node: [process.execPath],
  Bun: [findBun() ?? 'bun'],
  Deno: [process.execPath, installed('deno', 'bin.cjs'), 'run'],
};

describe('the light library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-light-'));
  const target = join(folder, 'package');
  const library = join(target, 'index.js');
  /** Runs the examples one after the other: a process for each takes five times as long. */
  const examples = join(folder, 'examples.ts');
  before(() => {
    const files = lightExamples.map((_, at) => `example-${at}.ts`);
    for (const [at, { code }] of lightExamples.entries())
      writeFileSync(
        join(folder, `example-${at}.ts`),
        code.replace("'seenby-light'", `'${pathToFileURL(library).href}'`),
      );
    writeFileSync(examples, files.map((file) => `await import('./${file}');\n`).join(''));
    return buildLight(target);
  });
  after(() => rmSync(folder, { recursive: true }));

  test('exports what the source exports, and has an example of each kind', async () => {
    const built: object = await import(pathToFileURL(library).href);
    assert.deepEqual(Object.keys(built).sort(), Object.keys(real).sort());
    assert.equal(lightExamples.length, 6);
  });

  const assertExamples = (program: string, args: readonly string[]): void => {
    const { stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    assert.equal(stdout, lightExamples.map(({ output }) => `${output}\n`).join(''), stderr);
  };

  const modules = (): string[] => readdirSync(target).filter((file) => file.endsWith('.js'));

  test('imports only its own files', () => {
    for (const file of modules()) {
      const code = readFileSync(join(target, file), 'utf8');
      assert.doesNotMatch(code, /(?:^|[;}])import(?:[^"';]*from)?\s*"(?!\.\/)|\bimport\(|\brequire\("/m, file);
    }
    const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
  });

  test('uses no variable that a bundler replaces by a copy of what Node has', () => {
    for (const file of modules())
      assert.doesNotMatch(
        readFileSync(join(target, file), 'utf8'),
        /(?<![\w.$'"` -])(?:process|Buffer|global)\b[.[]/,
        file,
      );
  });

  test('has an entry point for each kind of function, with types, that bundles alone', async () => {
    const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(manifest.exports), ['.', ...entries.map((name) => `./${name}`)]);
    const exported: string[] = [];
    for (const name of entries) {
      exported.push(...Object.keys(await import(pathToFileURL(join(target, `${name}.js`)).href)));
      assert.match(readFileSync(join(target, `${name}.d.ts`), 'utf8'), /^export \{ .+ \} from '\.\/index\.js';\n$/);
    }
    assert.deepEqual(exported.sort(), Object.keys(real).sort());
  });

  test('bundles to as many bytes as its page states, for each function', async () => {
    const page = readFileSync(join(root, 'docs', 'light.md'), 'utf8');
    const stated = [...page.matchAll(/`(\w+)`(?: is)? (\d+)(?: KB minified,| and)\s(\d+)/g)];
    assert.equal(stated.length, 4);
    for (const [, name = '', ...figures] of [...stated, ['', 'kinds']]) {
      const { outputFiles } = await build({
        stdin: { contents: `export { ${name} } from './index.js';`, resolveDir: target },
        bundle: true,
        minify: true,
        format: 'esm',
        write: false,
      });
      const { contents } = outputFiles[0] ?? assert.fail();
      const kilobytes = [contents.length, gzipSync(contents).length].map((bytes) => bytes / 1_000);
      for (const [at, figure] of figures.entries())
        assert.ok(Math.abs((kilobytes[at] ?? 0) / Number(figure) - 1) < 0.03, `${name}: ${kilobytes}`);
      if (name === 'kinds') assert.ok((kilobytes[0] ?? 0) < 20);
    }
  });

  test('needs nothing that Node 20 lacks', () => {
    const newer = `delete Map.groupBy; delete Object.groupBy; delete Promise.withResolvers; delete Promise.try; delete Array.fromAsync; delete URL.parse;
      delete RegExp.escape; delete Uint8Array.fromBase64; delete globalThis.Iterator;
      for (const name of ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'])
        delete Set.prototype[name];
      const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
      for (const name of ['map', 'filter', 'some', 'every', 'find', 'flatMap', 'reduce', 'forEach', 'take', 'drop', 'toArray'])
        delete iterators[name];`;
    const file = join(folder, 'node-20.ts');
    const imports = `const { grade, summarize } = await import('${pathToFileURL(library).href}');`;
    // What the examples do not reach.
    const more = `const url = 'http://example.com/';
      const links = [{ rel: 'related', href: 'https://rdap.example/domain/a.example' }];
      const headers = { 'content-security-policy': "default-src 'self'; frame-ancestors *", 'set-cookie': 'a=b' };
      grade({ url, finalUrl: url, status: 200, hops: [{ url, status: 200, location: null }], headers, setCookies: ['a=b; Domain=example.com'] });
      summarize('domain', { objectClassName: 'domain', ldhName: 'a.example', links }, 'https://rdap.example/domain/a.example');
      summarize('ip', { objectClassName: 'ip network', startAddress: '192.0.2.0', endAddress: '192.0.2.255' }, 'https://rdap.example/ip/192.0.2.0');`;
    writeFileSync(file, [newer, imports, more, readFileSync(examples, 'utf8')].join('\n'));
    assertExamples(process.execPath, ['--disable-warning=ExperimentalWarning', file]);
  });

  test('states on an older Node what to install, from every entry point', () => {
    const files = ['index', ...entries].map((name) => pathToFileURL(join(target, `${name}.js`)).href);
    // Node 18 lacks this function.
    const code = `delete Array.prototype.toSorted;
      for (const file of ${JSON.stringify(files)}) await import(file).catch(({ message }) => console.log(message));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    const sentence = `seenby-light: Node ${process.versions.node} is too old; install Node 20 or later.\n`;
    assert.equal(stdout, sentence.repeat(files.length));
  });

  test('takes as many bytes as its page states', () => {
    const [, kilobytes] =
      /about (\d+) KB of JavaScript/.exec(readFileSync(join(root, 'docs', 'light.md'), 'utf8')) ?? [];
    const bytes = modules().reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
    assert.ok(Math.abs(bytes / (1000 * Number(kilobytes)) - 1) < 0.03, `${bytes} bytes`);
  });

  test('has types that need no other types, and that fit the source', () => {
    const check = join(folder, 'check.ts');
    writeFileSync(
      check,
      `import type * as declared from './package/index.js';
import * as source from '${join(root, 'src', 'lookups', 'light', 'light.ts')}';
const fits: typeof declared = source;
void fits;
`,
    );
    const use = join(folder, 'use.ts');
    writeFileSync(
      use,
      `import { parseUserAgent, grade } from './package/index.js';
const name: string | null = parseUserAgent('curl/8').browser.name;
// @ts-expect-error: the response is missing
grade();
void name;
`,
    );
    const options = [
      '--checkers',
      '1',
      '--noEmit',
      '--strict',
      '--target',
      'esnext',
      '--module',
      'nodenext',
      '--ignoreConfig',
    ];
    const tsc = (file: string, ...more: string[]) =>
      spawnSync(installed('.bin', 'tsc'), [...options, ...more, file], { cwd: folder, encoding: 'utf8' }).stdout;
    // Without those of browsers, so that the library can be used with none.
    assert.equal(tsc(use, '--types', '', '--lib', 'esnext'), '');
    const nodeTypes = ['--types', 'node', '--typeRoots', installed('@types')];
    assert.equal(tsc(check, '--allowImportingTsExtensions', '--skipLibCheck', ...nodeTypes), '');
  });

  test('contains the license of every package inside', () => {
    const licenses = readFileSync(join(target, 'LICENSES'), 'utf8');
    for (const name of [
      'ua-parser-js',
      'zod',
      'isbot',
      'csp_evaluator',
      'tldts',
      'structured-headers',
      '@noble/hashes',
    ])
      assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
  });

  for (const [runtime, [program = '', ...args]] of Object.entries(runtimes))
    test(`prints what its page states on ${runtime}`, () => {
      assert.ok(existsSync(program), `${runtime} is missing: install the development packages`);
      assertExamples(program, [...args, examples]);
    });

  test('runs on Workers', () => {
    const files = {
      'worker.js': `import { parseUserAgent } from 'index.js';
export default { test() { if (parseUserAgent('curl/8').kind !== 'cli') throw new Error('wrong kind'); } };`,
      ...Object.fromEntries(modules().map((file) => [file, readFileSync(join(target, file), 'utf8')])),
      'config.capnp': `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "light", worker = (
  modules = [${['worker.js', ...modules()].map((file) => `(name = "${file}", esModule = embed "${file}")`).join(', ')}],
  compatibilityDate = "2026-01-01",
))]);
`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { status, stderr } = spawnSync(workerd, ['test', 'config.capnp'], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('runs in a browser', { skip: skipWithoutChromium() }, async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.route('http://light.example/**', (route) => {
        const file = new URL(route.request().url()).pathname.slice(1);
        if (file === '') return route.fulfill({ contentType: 'text/html', body: '' });
        return route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(target, file), 'utf8') });
      });
      await page.goto('http://light.example/');
      const kind = await page.evaluate(
        `import('/index.js').then(({ parseUserAgent }) => parseUserAgent('curl/8').kind)`,
      );
      assert.equal(kind, 'cli');
    } finally {
      await browser.close();
    }
  });
});
