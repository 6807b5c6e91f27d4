/** The source files, what they import, and rules with exceptions that must disappear. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** Path from the project's folder, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
  /** The project's own files that it imports, for types too. */
  readonly imports: readonly string[];
}

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

export const sourceFiles: readonly SourceFile[] = globSync('src/**/*.ts', { cwd: projectFolder }).map((path) => {
  const file = path.replaceAll(sep, '/');
  const text = readFileSync(join(projectFolder, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => target);
  const imports = targets.map((target) => normalize(join(dirname(file), target)).replaceAll(sep, '/'));
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '');
  return { file, text, code, imports: [...new Set(imports)] };
});

/** Native code, V8's flags, members that Node does not document, and listeners or methods that are not the file's own. */
const privateParts = [
  /'node:ffi'|'[^']*\.node'|\bdlopen\b|\bsetFlagsFromString\b|\bprocess\.binding\b/g,
  /\._[a-z]\w*|\{ _[a-z]\w*/gi,
  /\bonread\b|\buseUserBuffer\b|\breadSt(?:art|op)\b|\bgetOwnPropertySymbols\b/g,
  /\bremove(?:All)?Listeners?\b|\.(?:rawL|l)isteners\(|\.(?:pause|resume) = /g,
];

/** Returns the names of those that code uses. */
export function privatePartsOf(code: string): string[] {
  const parts = privateParts.flatMap((pattern) => code.match(pattern) ?? []);
  return [...new Set(parts.map((part) => part.replaceAll(/^[.{ ]+|[( =]+$/g, '')))];
}

/** Fails for an exception to a rule that is not in the list, and for an entry of the list that is not needed any more. */
export function assertOnlyKnown(rule: string, found: readonly string[], known: readonly string[]): void {
  const added = found.filter((each) => !known.includes(each));
  assert.deepEqual(added, [], rule);
  const settled = known.filter((each) => !found.includes(each));
  assert.deepEqual(settled, [], 'these exceptions no longer exist; remove them from the list of the test');
}
