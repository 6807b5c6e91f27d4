/** Runs `npm run check`, `npm test`, `npm run test:all` or its second tier: types, lint, then the tests with Node's runner. */
import { availableParallelism, constants } from 'node:os';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { root } from '../project.mjs';
import { collectResults, merge, numberOf, print, type Results } from './report.ts';
import { checkTypes, lint } from './static.ts';
import { groupFiles, type Tier, testFiles, tierOf } from './test-files.ts';

/** Tiers of the parts of a task. */
const partsOf: Record<string, Record<string, readonly Tier[]>> = {
  check: { tests: ['check'] },
  test: { tests: ['check', 'test'] },
  'test:heavy': { 'heavy tests': ['heavy'] },
  'test:all': { tests: ['check', 'test'], 'heavy tests': ['heavy'] },
};
/** Of a process: ends what hangs, and is no measure of speed. */
const timeoutMs = 600_000;
const slowestShown = 20;

const [task = 'check', ...args] = process.argv.slice(2);
const { positionals, values, tokens } = parseArgs({
  args,
  strict: false,
  tokens: true,
  options: { slowest: { type: 'boolean' } },
});
// All other options are for Node, such as --test-name-pattern=...
const others = tokens.filter((token) => token.kind === 'option').filter(({ name }) => name !== 'slowest');
const unknown = others.find(
  ({ name }) => !name.startsWith('test-') && !process.allowedNodeEnvironmentFlags.has(`--${name}`),
);
if (unknown !== undefined) {
  print(`npm run ${task}: unknown option ${unknown.rawName}
Usage: npm run ${task} -- [FILE or FOLDER]... [--slowest] [an option of Node, such as --test-name-pattern=TEXT]`);
  process.exit(2);
}
const execArgv = ['--disable-warning=ExperimentalWarning', ...others.map(({ index }) => args[index] as string)];

const chosen = positionals.flatMap((path) => testFiles(/\.\w+$/.test(path) ? path : `${path}/**/*.test.ts`));
if (positionals.length > 0 && chosen.length === 0) {
  print(`No test file matches ${positionals.join(' ')}; name one such as test/core/text.test.ts`);
  process.exit(1);
}

// Node's runner reports paths that are relative to it.
process.chdir(root);
const interruption = new AbortController();
let interruptedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | null = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruptedBy ??= signal;
    interruption.abort();
  });

const lines: string[] = [];
const all: Results = { passed: 0, failures: new Map(), skipped: [], durations: new Map() };

if (positionals.length > 0) await runTests('tests', chosen);
else {
  if (task !== 'test:heavy') await Promise.all([runStatic('types', checkTypes), runStatic('lint', lint)]);
  for (const [name, tiers] of Object.entries(partsOf[task] ?? {}))
    await runTests(
      name,
      testFiles().filter((file) => tiers.includes(tierOf(file))),
    );
}

if (all.skipped.length > 0) print(`Skipped:\n${all.skipped.map((each) => `  ${each}\n`).join('')}`);
const slowest = [...all.durations].toSorted(([, one], [, other]) => other - one).slice(0, slowestShown);
if (values.slowest === true)
  print(`The slowest test files:\n${slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1)} s  ${file}\n`).join('')}`);
for (const line of lines) print(line);
const failed = [...all.failures.values()].flat().length;
// Programs read this line, so its form never changes.
print(`${all.passed} passed, ${failed} failed, ${all.skipped.length} skipped`);
if (failed > 0) process.exitCode = 1;
if (interruptedBy !== null) process.exitCode = 128 + constants.signals[interruptedBy];

async function runStatic(name: string, check: (signal: AbortSignal) => Promise<string[]>): Promise<void> {
  const startedMs = performance.now();
  const errors = await check(interruption.signal);
  if (interruption.signal.aborted) return;
  for (const error of errors) print(error);
  all.failures.set(name, errors);
  endPart(name, errors.length === 0 ? 'passed' : `${errors.length} failed`, startedMs);
}

/** In the second tier, each file that failed runs once more, alone; what passes then is a defect to mend, and no failure. */
async function runTests(name: string, files: readonly string[]): Promise<void> {
  if (interruption.signal.aborted) return;
  const startedMs = performance.now();
  const groups = groupFiles(files);
  const results = await runFiles([...groups.keys()], availableParallelism());
  // One of its files crashed or cannot be loaded: in a process of its own, the others run.
  const crashed = [...groups].filter(([group, { length }]) => length > 1 && results.failures.delete(group));
  const theirFiles = crashed.flatMap(([, each]) => each);
  if (theirFiles.length > 0) merge(results, await runFiles(theirFiles, availableParallelism()));
  const isHeavy = (file: string): boolean => tierOf(file) === 'heavy';
  const again = [...results.failures].filter(([file]) => isHeavy(file));
  if (again.length > 0 && !interruption.signal.aborted) {
    print(`Once more, one after another: ${again.map(([file]) => file).join(' ')}\n`);
    const { failures } = await runFiles(
      again.map(([file]) => file),
      1,
    );
    for (const [file, messages] of again) {
      if (failures.has(file)) continue;
      results.failures.delete(file);
      lines.push(`passed in a second run: ${file} › ${messages.join('; ')}`);
    }
  }
  const failed = [...results.failures.values()].flat().length;
  merge(all, results);
  const skipped = results.skipped.length > 0 ? `, ${results.skipped.length} skipped` : '';
  endPart(name, `${failed > 0 ? `${failed} failed, ` : ''}${numberOf(results.passed)} passed${skipped}`, startedMs);
}

function runFiles(files: readonly string[], concurrency: number): Promise<Results> {
  // Without it, a test of these checks would report to the process that runs the test.
  delete process.env.NODE_TEST_CONTEXT;
  const { signal } = interruption;
  const stream = run({ files: [...files], concurrency, execArgv, timeout: timeoutMs, signal });
  return collectResults(stream, signal);
}

function endPart(name: string, outcome: string, startedMs: number): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const ended = interruption.signal.aborted ? '; not all of them ran' : '';
  lines.push(`${name}: ${outcome}${ended} (${Math.floor(seconds / 60)} min ${seconds % 60} s)`);
}
