/**
 * Code is written for readers: no literal is spread or destructured only to save lines, and no name hides a global of the web. No loop of a
 * test waits without a limit.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './source-files.ts';

const forms = [
  { form: 'an object literal that is spread into another; write its members there', pattern: /\.\.\.\{/g },
  {
    form: 'a list that is destructured where it is written; write one statement for each name',
    pattern: /(?:\b(?:const|let) |^ *)\[[\w, ]+\] = \[[^;[\]]*(?:\[[^\]]*\][^;[\]]*)*\];/gm,
  },
  {
    form: 'a name that hides a global: a missing import would then mean the global',
    pattern: new RegExp(
      `\\b(?:class|const|enum|interface|type) (?:${globalNames().join('|')})(?=<| =| {| extends)`,
      'g',
    ),
  },
  {
    form: 'a loop that waits without a limit; use until() of test/until.ts',
    // A condition with a clock is a limit, or is a function that has one. `button` is that of a page, which has no such function.
    pattern: /while \((?!.*performance\.now|isSending|button\.).*\) await (?:delay|next|once|pause|sleep|new Promise)/g,
  },
];

/** Names of types and classes that are global in Node, in the web's types, or in a browser. */
function globalNames(): readonly string[] {
  const ofBrowsers = ['Document', 'Element', 'Image', 'Location', 'Node', 'Option', 'Range', 'Selection'];
  return [...Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]\w+$/.test(name)), ...ofBrowsers];
}

const linesWith = (code: string, pattern: RegExp): number[] =>
  [...code.matchAll(pattern)].map(({ index }) => code.slice(0, index).split('\n').length);

test('finds each forbidden form, and no similar code', () => {
  const wrong = [
    'const a = { ...{ b, c }, d };',
    'const [a, b] = [1, 2];',
    'let [low, high] = [0, max(1)];',
    '  [day, key] = [today, keys[0]];',
    'export interface Response {',
    'type Location = string;',
    'while (!isOpen) await delay(5);',
    'for (const each of all) while (each.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));',
  ];
  const fine = [
    'const a = { ...b, c };',
    'f(...(b && { c }));',
    'const [a] = list;',
    'const [a, b] = [c, d].map(f);',
    'type Responses = string;',
    'while (!isOpen && performance.now() < endMs) await delay(5);',
    'while (left > 0) await send();',
  ];
  const isFound = (line: string): boolean => forms.some(({ pattern }) => linesWith(line, pattern).length > 0);
  assert.deepEqual(wrong.filter(isFound), wrong);
  assert.deepEqual(fine.filter(isFound), []);
});

test('no file contains a forbidden form', () => {
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
