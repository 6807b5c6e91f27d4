/** The light library: what its examples print on each runtime, its size, its types, and the licenses of what it contains. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as real from '../../src/lookups/light.ts';
import { buildLight } from '../../tools/light-package.ts';
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
  before(() => buildLight(target));
  after(() => rmSync(folder, { recursive: true }));

  test('exports what the source exports, and has an example of each kind', async () => {
    const built: object = await import(pathToFileURL(library).href);
    assert.deepEqual(Object.keys(built).sort(), Object.keys(real).sort());
    assert.equal(lightExamples.length, 5);
  });

  test('is one file without dependencies and without Node', () => {
    const code = readFileSync(library, 'utf8');
    assert.doesNotMatch(code, /(?:^|[;}])import\b|\bimport\(|\brequire\("/m);
    const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
  });

  test('takes less than a megabyte', () => {
    const bytes = readdirSync(target).reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
    assert.ok(bytes < 1_000_000, `${bytes} bytes`);
  });

  test('has types that need no other types, and that fit the source', () => {
    const check = join(folder, 'check.ts');
    writeFileSync(
      check,
      `import type * as declared from './package/index.js';
import * as source from '${join(root, 'src', 'lookups', 'light.ts')}';
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
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--ignoreConfig'];
    const tsc = (file: string, ...more: string[]) =>
      spawnSync(installed('.bin', 'tsc'), [...options, ...more, file], { cwd: folder, encoding: 'utf8' }).stdout;
    assert.equal(tsc(use, '--types', ''), '');
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
      for (const { title, code, output } of lightExamples) {
        const file = join(folder, 'example.mjs');
        writeFileSync(file, code.replace("'seenby-light'", `'${pathToFileURL(library).href}'`));
        const { stdout, stderr } = spawnSync(program, [...args, file], {
          encoding: 'utf8',
          env: { ...process.env, NO_COLOR: '1' },
        });
        assert.equal(stdout, `${output}\n`, `${title}: ${stderr}`);
      }
    });

  test('runs on Workers', () => {
    const files = {
      'worker.js': `import { parseUserAgent } from 'index.js';
export default { test() { if (parseUserAgent('curl/8').kind !== 'cli') throw new Error('wrong kind'); } };`,
      'index.js': readFileSync(library, 'utf8'),
      'config.capnp': `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "light", worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "index.js", esModule = embed "index.js")],
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
      const script = `(code) => import(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })))
        .then(({ parseUserAgent }) => parseUserAgent('curl/8').kind)`;
      const kind = await page.evaluate(`(${script})(${JSON.stringify(readFileSync(library, 'utf8'))})`);
      assert.equal(kind, 'cli');
    } finally {
      await browser.close();
    }
  });
});
