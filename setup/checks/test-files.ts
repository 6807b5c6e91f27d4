/** The test files, and which of them are quick: known from their import lines, so that no list of names becomes stale. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { inRoot, root } from '../project.mjs';

/** A file that imports one of them, itself or through a helper, starts programs, threads or a browser. */
const modulesOfSlowTests = ['node:child_process', 'node:worker_threads', 'playwright-core', 'wrangler'];
/** Folders whose files start services or compare CPU times. */
const foldersOfSlowTests = ['abuse', 'acceptance'];
/** The longest last. */
const foldersOfLongestTests = ['abuse', 'acceptance', 'browser'];
/** A file that imports it compares the CPU time of a service under attack with that of the same work before and after. */
const comparison = 'test/abuse/bounds.ts';
/** Attacks that mostly wait until the service closes their connections: they run beside the tests. */
const waitingAttacks = ['test/abuse/held.test.ts', 'test/abuse/readers.test.ts'];
/** Files that wait for most of their time: they come first, beside files that keep the processors busy. */
const waitingTests = [...waitingAttacks, 'test/service/dns-exchange.test.ts'];
/** Compares CPU times with a narrow bound: in a shared process, what earlier files left in memory and in compiled code would count. */
const measuredTests = ['test/http/app-cost.test.ts'];
/** Files that take two seconds or more for another reason: they wait, draw pictures or read large data. */
export const longTests: readonly string[] = [
  'test/cli/me/client-tests-wait.test.ts',
  'test/deploy/workerd-network.test.ts',
  'test/generated-pictures.test.ts',
  'test/http/descriptions/openapi-rules.test.ts',
  'test/ingress/dns/server-fuzz.test.ts',
  'test/ingress/server-drain.test.ts',
  'test/lookups/headers-check/grade-hostile.test.ts',
  'test/lookups/rdap/rdap-hostile.test.ts',
  'test/mcp/message-cost.test.ts',
  'test/native/quic/address-validation.test.ts',
  'test/service/dns-exchange.test.ts',
  'test/service/first-start.test.ts',
  'test/service/tagged-requests.test.ts',
];
/**
 * The files of these folders that start no program share a process; '' is test/ itself. To start one for each file takes half of the CPU
 * time of the quick tests.
 */
const sharedFolders: readonly (readonly string[])[] = [
  ['client', 'core', 'dialects', 'http', 'lookups', 'mcp', 'resources', 'traits'],
  ['ingress'],
  ['edges'],
  ['cli', 'native', 'wire'],
  ['service'],
  ['deploy', 'runtime'],
  [''],
];
/**
 * The files of these folders that start programs share a process, because each would load the service for itself. They run one after
 * another, so no group may take longer than all tests together; the longest come first.
 */
const sharedFoldersOfPrograms: readonly (readonly string[])[] = [
  ['service'],
  ['acceptance'],
  ['edges'],
  ['cli', 'native', 'runtime'],
  ['client', 'deploy', 'http', 'mcp'],
  ['ingress'],
];
/** Files with one of them share a process, and in it a browser or a simulated internet, whose start takes as long as several tests. */
const sharedStarts = [/\b(?:sharedInternet|serveForSuite)\(/, /\bsharedBrowser\(/];
/** A file with it simulates clocks for libraries, which another file of its process may have loaded before. */
const simulation = /\bmock\b.*\b(?:Date|setInterval)\b/;

export interface TestFiles {
  /** The files of each group share a process. */
  readonly shared: readonly (readonly string[])[];
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
  const attacks = files.filter((file) => importsOf(file).has(comparison) && !waitingAttacks.includes(file));
  const groupsOf = (folders: readonly (readonly string[])[], candidates: readonly string[]): string[][] =>
    folders.map((group) =>
      candidates.filter(
        (file) =>
          group.includes(folderOf(file)) &&
          ![...waitingTests, ...measuredTests].includes(file) &&
          !simulation.test(textOf(file)),
      ),
    );
  const programs = files.filter(startsPrograms);
  // The longest groups come first.
  const startedOnce = sharedStarts.map((_, at) =>
    programs.filter((file) => sharedStarts.findIndex((each) => each.test(textOf(file))) === at),
  );
  const shared = [
    ...startedOnce,
    ...groupsOf(sharedFoldersOfPrograms, programs),
    ...groupsOf(
      sharedFolders,
      files.filter((file) => !startsPrograms(file)),
    ),
  ].filter((group) => group.length > 0);
  // The longest come first, so that none of them is left alone at the end.
  const separate = files
    .filter((file) => !attacks.includes(file) && !shared.some((group) => group.includes(file)))
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

/** The folder in test/; '' for a file of test/ itself. */
const folderOf = (file: string): string => dirname(file).split('/')[1] ?? '';

/** First those that wait, then those in a browser, which are the longest, then those of every edge, then those with the most helpers: of services and the simulated internet. */
function weightOf(file: string): number {
  if (waitingTests.includes(file)) return 10_000;
  const folder = foldersOfLongestTests.indexOf(folderOf(file));
  return importsOf(file).size + (isQuick(file) ? 0 : 1_000) + 1_000 * (folder + 1);
}

const textOf = (file: string): string => readFileSync(inRoot(file), 'utf8');

const importLine = /^(?:import|export) (?:[^;'"`]* from )?'([^']+)';/gm;
const imports = new Map<string, ReadonlySet<string>>();

/** Modules that a test file imports, itself or through files of test/. */
export function importsOf(file: string): ReadonlySet<string> {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const found = new Set<string>();
  // Before its helpers are read, in case they import each other.
  imports.set(file, found);
  for (const [, name = ''] of textOf(file).matchAll(importLine)) {
    const path = name.startsWith('.') ? join(dirname(file), name) : name;
    found.add(path);
    if (path.startsWith('test/') && existsSync(inRoot(path))) for (const each of importsOf(path)) found.add(each);
  }
  return found;
}
