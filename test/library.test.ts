/** The examples of docs/library.md print what they state. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { libraryExamples } from './library-examples.ts';

const library = new URL('../src/http/library.ts', import.meta.url).href;

test('every section of the page has an example', () => assert.equal(libraryExamples.length, 5));

for (const { title, code, output } of libraryExamples) {
  test(`the example "${title}" prints ${output}`, () => {
    const script = code.replace("'seenby'", `'${library}'`);
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(stdout, `${output}\n`, stderr);
  });
}
