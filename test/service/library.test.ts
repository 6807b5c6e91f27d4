/** The examples of docs/library.md print what they state. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { libraryExamples } from '../library-examples.ts';

const library = new URL('../../src/http/library.ts', import.meta.url).href;

test('every section of the page has an example', () => assert.equal(libraryExamples.length, 2));

test('the examples are TypeScript in strict mode', (context) => {
  // In the project, so that the compiler finds its settings and packages.
  const output = fileURLToPath(new URL('../../test-output', import.meta.url));
  mkdirSync(output, { recursive: true });
  const folder = mkdtempSync(join(output, 'examples-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [at, { code }] of libraryExamples.entries()) writeFileSync(join(folder, `${at}.ts`), code);
  const compilerOptions = { noEmit: true, paths: { seenby: [fileURLToPath(library)] } };
  const configuration = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const options = ['-p', folder, '--checkers', '1'];
  const { stdout } = spawnSync(fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url)), options, {
    encoding: 'utf8',
  });
  assert.equal(stdout, '');
});

test('the examples print what they state', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-examples-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [at, { code }] of libraryExamples.entries())
    writeFileSync(join(folder, `${at}.ts`), code.replace("'seenby'", `'${library}'`));
  // One after the other: a process for each would load the library each time.
  const all = join(folder, 'all.ts');
  writeFileSync(all, libraryExamples.map((_, at) => `await import('./${at}.ts');\n`).join(''));
  const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', all], {
    encoding: 'utf8',
  });
  assert.equal(stdout, libraryExamples.map(({ output }) => `${output}\n`).join(''), stderr);
});
