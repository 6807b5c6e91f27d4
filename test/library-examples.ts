/** The examples of docs/library.md: code, and the output that the comment of its last line states. */
import { readFileSync } from 'node:fs';

export interface LibraryExample {
  readonly title: string;
  readonly code: string;
  readonly output: string;
}

const text = readFileSync(new URL('../docs/library.md', import.meta.url), 'utf8');

export const libraryExamples: readonly LibraryExample[] = [
  ...text.matchAll(/^## (.*)\n(?:(?!^## )[\s\S])*?```js\n([\s\S]*?)```/gm),
].map(([, title = '', code = '']) => ({ title, code, output: /\/\/ (.*)\n$/.exec(code)?.[1] ?? '' }));
