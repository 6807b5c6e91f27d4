/** The test files, and which of them are quick: known from their import lines, so that no list of names becomes stale. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { inRoot, root } from '../project.mjs';

/** A file that imports one of them, itself or through a helper, starts programs, threads or a browser. */
const modulesOfSlowTests = ['node:child_process', 'node:worker_threads', 'playwright-core', 'wrangler'];
/** Folders whose files start services or compare CPU times. */
const foldersOfSlowTests = ['abuse', 'acceptance'];
/** Files that take two seconds or more for another reason: they wait, draw pictures or read large data. */
export const longTests: readonly string[] = [
  'test/deploy/workerd-network.test.ts',
  'test/generated-pictures.test.ts',
  'test/http/descriptions/openapi-rules.test.ts',
  'test/ingress/server-drain.test.ts',
  'test/lookups/headers-check/grade-hostile.test.ts',
  'test/lookups/rdap/rdap-hostile.test.ts',
  'test/mcp/message-cost.test.ts',
  'test/runtime/databases/geoip-files-embedded-asn.test.ts',
  'test/service/first-start.test.ts',
  'test/service/tagged-requests.test.ts',
];
/** Folders of tests without processes and ports: their files share a process. */
const sharedFolders = ['client', 'core', 'dialects', 'http', 'lookups', 'mcp', 'resources', 'traits'];

export interface TestFiles {
  /** They share a process. */
  readonly shared: readonly string[];
  /** Each in a process of its own. */
  readonly separate: readonly string[];
  /** They compare CPU times. */
  readonly attacks: readonly string[];
}

const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();

/** All test files, or the quick ones. */
export function testFiles(onlyQuick: boolean): TestFiles {
  const files = filesOf('test/**/*.test.ts').filter((file) => !onlyQuick || isQuick(file));
  const attacks = files.filter((file) => folderOf(file) === 'abuse');
  const shared = files.filter((file) => sharedFolders.includes(folderOf(file)) && !startsPrograms(file));
  // The longest come first, so that none of them is left alone at the end.
  const separate = files
    .filter((file) => !attacks.includes(file) && !shared.includes(file))
    .toSorted((one, other) => weightOf(other) - weightOf(one));
  return { shared, separate, attacks };
}

/** Test files of arguments: files, folders and patterns. */
export const testFilesOf = (args: readonly string[]): string[] =>
  args.flatMap((arg) => (/\.\w+$/.test(arg) ? filesOf(arg) : filesOf(`${arg}/**/*.test.ts`)));

/** Whether `npm run check` runs it. */
export const isQuick = (file: string): boolean => !longTests.includes(file) && !startsPrograms(file);

export const startsPrograms = (file: string): boolean =>
  foldersOfSlowTests.includes(folderOf(file)) || modulesOfSlowTests.some((name) => importsOf(file).has(name));

const folderOf = (file: string): string => file.split('/')[1] ?? '';

/** Size of a test with its helpers; those of services, browsers and the simulated internet are the longest. */
const weightOf = (file: string): number => importsOf(file).size + (isQuick(file) ? 0 : 1000);

const importLine = /^(?:import|export) (?:[^;'"`]* from )?'([^']+)';/gm;
const imports = new Map<string, ReadonlySet<string>>();

/** Modules that a test file imports, itself or through files of test/. */
export function importsOf(file: string): ReadonlySet<string> {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const found = new Set<string>();
  // Before its helpers are read, in case they import each other.
  imports.set(file, found);
  for (const [, name = ''] of readFileSync(inRoot(file), 'utf8').matchAll(importLine)) {
    const path = name.startsWith('.') ? join(dirname(file), name) : name;
    found.add(path);
    if (path.startsWith('test/') && existsSync(inRoot(path))) for (const each of importsOf(path)) found.add(each);
  }
  return found;
}
