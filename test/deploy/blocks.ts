/** The blocks of code in the pages of this project. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  readonly page: string;
  /** Of the block's first line. */
  readonly line: number;
  /** As the fence names it; empty if it does not. */
  readonly language: string;
  readonly text: string;
}

export const blocks: readonly Block[] = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  .toSorted()
  .flatMap((page) => {
    const markdown = readFileSync(join(root, page), 'utf8');
    return [...markdown.matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm)].map((found) => {
      const [, indent = '', language = '', text = ''] = found;
      return {
        page,
        line: markdown.slice(0, found.index).split('\n').length + 1,
        language,
        text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      };
    });
  });
