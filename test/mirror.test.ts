/** The tests mirror the source: a test file lies where its source file lies, and has its name, perhaps with more behind it. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { test } from 'node:test';
import { projectFolder, sourceFiles } from './source-files.ts';

/** Folders about the whole service, or about what is around it. */
const others = 'abuse acceptance browser deploy fingerprints internet package service setup'.split(' ');
/** Tests of a whole folder, by its name or one for what its files have in common. */
const named = ['test/http/page/pages.test.ts', 'test/native/members.test.ts'];

test('a test file has the path of what it tests', () => {
  const files = globSync('test/*/**/*.test.ts', { cwd: projectFolder }).map((file) => file.replaceAll(sep, '/'));
  const sources = sourceFiles.map(({ file }) => file.replace(/\.ts$/, ''));
  const subjects = [
    ...sources,
    ...sources.map((file) => `${dirname(file)}/${basename(dirname(file))}`),
    ...sources.map(dirname),
  ];
  const strays = files
    .filter((file) => !others.includes(file.split('/')[1] ?? '') && !named.includes(file))
    .map((file) => ({ file, expected: file.replace(/^test/, 'src').replace(/(?:\.heavy)?\.test\.ts$/, '') }))
    .filter(({ expected }) => !subjects.some((each) => expected === each || expected.startsWith(`${each}-`)));
  assert.deepEqual(
    strays.map(({ file }) => file),
    [],
    'rename these to what they test, or move them to test/service if they test a whole service',
  );
});
