/** Code is written for readers: no literal that is spread or destructured at once only to save lines. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './source-files.ts';

const forms = [
  { form: 'an object literal that is spread into another; write its members there', pattern: /\.\.\.\{/g },
  {
    form: 'a list that is destructured where it is written; write one statement for each name',
    pattern: /\b(?:const|let) \[[\w, ]+\] = \[[^\];]*\];/g,
  },
];

const linesWith = (code: string, pattern: RegExp): number[] =>
  [...code.matchAll(pattern)].map(({ index }) => code.slice(0, index).split('\n').length);

test('finds both forms, and no similar ones', () => {
  const shortened = ['const a = { ...{ b, c }, d };', 'const [a, b] = [1, 2];', 'let [low, high] = [0, max(1)];'];
  const fine = ['const a = { ...b, c };', 'f(...(b && { c }));', 'const [a] = list;', 'const [a, b] = [c, d].map(f);'];
  const isFound = (line: string): boolean => forms.some(({ pattern }) => linesWith(line, pattern).length > 0);
  assert.deepEqual(shortened.filter(isFound), shortened);
  assert.deepEqual(fine.filter(isFound), []);
});

test('no literal is written only to be spread or destructured', () => {
  const files = globSync('{src,test,bench,tools,setup}/**/*.{ts,mjs}', { cwd: projectFolder })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => !file.includes('/generated/') && file !== 'test/literals.test.ts');
  assert.ok(files.length > 500);
  const found = files.flatMap((file) => {
    const code = readFileSync(join(projectFolder, file), 'utf8').replaceAll(/(?<=^|\s)\/\/.*/g, '');
    return forms.flatMap(({ form, pattern }) => linesWith(code, pattern).map((line) => `${file}:${line}: ${form}`));
  });
  assert.deepEqual(found, []);
});
