/** The examples of docs/library.md and docs/light.md: code, and the output that the comment of its last line states. */
import { readFileSync } from 'node:fs';

export interface LibraryExample {
  readonly title: string;
  readonly code: string;
  readonly output: string;
}

function examplesOf(page: string): readonly LibraryExample[] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const sections = text.matchAll(/^## (.*)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm);
  return [...sections].map(([, title = '', code = '']) => ({
    title,
    code,
    output: /\/\/ (.*)\n$/.exec(code)?.[1] ?? '',
  }));
}

export const libraryExamples = examplesOf('library.md');
export const lightExamples = examplesOf('light.md');
