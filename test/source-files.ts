/** The source files, what they import, and rules with exceptions that must disappear. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** Path from the project's folder, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The project's own files that it imports, for types too. */
  readonly imports: readonly string[];
}

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

export const sourceFiles: readonly SourceFile[] = globSync('src/**/*.ts', { cwd: projectFolder }).map((path) => {
  const file = path.replaceAll(sep, '/');
  const text = readFileSync(join(projectFolder, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => target);
  const imports = targets.map((target) => normalize(join(dirname(file), target)).replaceAll(sep, '/'));
  return { file, text, imports: [...new Set(imports)] };
});

export const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '');

/** Fails for an exception to a rule that is not in the list, and for an entry of the list that is not needed any more. */
export function assertOnlyKnown(rule: string, found: readonly string[], known: readonly string[]): void {
  const added = found.filter((each) => !known.includes(each));
  assert.deepEqual(added, [], rule);
  const settled = known.filter((each) => !found.includes(each));
  assert.deepEqual(settled, [], 'these exceptions no longer exist; remove them from the list of the test');
}
