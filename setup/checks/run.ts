/** Runs `npm run check`, `npm test` or `npm run test:all`: types, lint and tests side by side, then the attacks. */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { print, startProgress, stopProgress } from './print.ts';
import { endChildrenOnSignals, interruptedBy } from './processes.ts';
import { createPart, hasFailed, type Part } from './results.ts';
import { type Job, runJobs } from './schedule.ts';
import { checkTypes, compilerProjects, lint } from './static.ts';
import { printSummary } from './summary.ts';
import { testFiles, testFilesOf } from './test-files.ts';
import { runAlone, runTogether, type TestRun } from './tests.ts';

const isCi = !['', '0', 'false'].includes(process.env.CI ?? '');

const [task = 'check', ...args] = process.argv.slice(2);
const { positionals, values, tokens } = parseArgs({
  args,
  strict: false,
  tokens: true,
  options: { slowest: { type: 'boolean' } },
});
// All others are for Node, such as --test-name-pattern=...
const others = tokens.filter((token) => token.kind === 'option').filter(({ name }) => name !== 'slowest');
const isOfNode = (name: string): boolean => name.startsWith('--test-') || process.allowedNodeEnvironmentFlags.has(name);
const unknown = others.find(({ rawName }) => !isOfNode(rawName));
if (unknown !== undefined) {
  print(`npm run ${task}: unknown option ${unknown.rawName}
Usage: npm run ${task} -- [FILE or FOLDER]... [--slowest] [an option of Node, such as --test-name-pattern=TEXT]`);
  process.exit(2);
}
const options = others.map(({ index }) => args[index] as string);

const durationsMs = new Map<string, number>();
const parts = positionals.length > 0 ? prepareFiles(positionals) : prepareAll(task === 'check');
endChildrenOnSignals();
startProgress(parts.map(({ part }) => part));
await runJobs(
  parts.flatMap(({ jobs }) => jobs),
  () => interruptedBy() !== null,
);
stopProgress();
printSummary(
  parts.map(({ part }) => part),
  values.slowest === true ? durationsMs : null,
);
process.exitCode = exitCode(parts.map(({ part }) => part));

interface PartToRun {
  readonly part: Part;
  readonly jobs: readonly Job[];
}

function prepareAll(onlyQuick: boolean): PartToRun[] {
  const { shared, separate, attacks } = testFiles(onlyQuick);
  const types = createPart('types');
  const linted = createPart('lint');
  const tests = createPart('tests');
  const testRun = runOf(tests);
  return [
    toRun(
      types,
      compilerProjects.map((project) => () => checkTypes(types, project)),
    ),
    toRun(linted, [() => lint(linted)]),
    toRun(tests, [
      ...shared.map((files) => () => runTogether(testRun, files)),
      ...separate.map((file) => () => runAlone(testRun, file)),
    ]),
    ...(attacks.length > 0 ? [prepareTests(createPart('attacks'), attacks)] : []),
  ];
}

function prepareFiles(chosen: readonly string[]): PartToRun[] {
  const files = testFilesOf(chosen);
  if (files.length === 0) {
    print(`No test file matches ${chosen.join(' ')}; name one such as test/core/text.test.ts`);
    process.exit(1);
  }
  return [prepareTests(createPart('tests'), files)];
}

function prepareTests(part: Part, files: readonly string[]): PartToRun {
  const testRun = runOf(part);
  return toRun(
    part,
    files.map((file) => () => runAlone(testRun, file)),
  );
}

function runOf(part: Part): TestRun {
  return { part, options, isCi, durationsMs };
}

function toRun(part: Part, tasks: readonly (() => Promise<void>)[]): PartToRun {
  part.jobs = tasks.length;
  const run = async (task: () => Promise<void>): Promise<void> => {
    part.startedMs ??= performance.now();
    await task();
    part.durationMs = performance.now() - part.startedMs;
    if (interruptedBy() === null) part.ended += 1;
  };
  return { part, jobs: tasks.map((task) => ({ isLast: part.name === 'attacks', run: () => run(task) })) };
}

function exitCode(results: readonly Part[]): number {
  const signal = interruptedBy();
  if (signal !== null) return 128 + constants.signals[signal];
  return results.some(hasFailed) ? 1 : 0;
}
