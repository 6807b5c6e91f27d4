/** Runs `npm run check`, `npm test`, `npm run test:all` or its second tier with Node's test runner. */
import { availableParallelism, constants } from 'node:os';
import { run } from 'node:test';
import { root } from '../project.mjs';
import { collectResults, print, Results } from './report.ts';
import { groupFiles, type Tier, testFiles, tierOf } from './test-files.ts';

/** Tiers of the parts of a task. */
const partsOf: Record<string, Record<string, readonly Tier[]>> = {
  check: { tests: ['check'] },
  test: { tests: ['check', 'test'] },
  'test:heavy': { 'heavy tests': ['heavy'] },
  'test:all': { tests: ['check', 'test'], 'heavy tests': ['heavy'] },
};
/** Of a test: ends what hangs, and is no measure of speed. */
const testTimeoutMs = 600_000;
const processTimeoutMs = 2 * testTimeoutMs;
/** Of all tests: ends a process whose event loop hangs, which no other limit ends. */
const timeoutMs = 60 * 60_000;

const [task = 'check', ...args] = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const paths = args.filter((arg) => !arg.startsWith('-'));
const chosen = paths.flatMap((path) => testFiles(/\.\w+$/.test(path) ? path : `${path}/**/*.test.ts`));
if (options.some((option) => !option.startsWith('--test-')) || (paths.length > 0 && chosen.length === 0)) {
  print(`npm run ${task}: unknown option or test file in ${args.join(' ')}
Usage: npm run ${task} -- [FILE or FOLDER]... [an option of Node's test runner, such as --test-name-pattern=TEXT]`);
  process.exit(2);
}

// Node's runner reports paths that are relative to it.
process.chdir(root);
const interruption = new AbortController();
const signal = AbortSignal.any([interruption.signal, AbortSignal.timeout(timeoutMs)]);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    process.exitCode ??= 128 + constants.signals[name];
    interruption.abort();
  });

/** Files of tiers, or else those that were named. */
const parts = Object.entries(paths.length > 0 ? { tests: null } : (partsOf[task] ?? {}));
const total = new Results();
const lines: string[] = [];
for (const [name, tiers] of parts) {
  if (signal.aborted) break;
  const startedMs = performance.now();
  const results = await runTests(testFiles().filter((file) => tiers?.includes(tierOf(file)) ?? chosen.includes(file)));
  total.add(results);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const ended = signal.aborted ? '; not all of them ran' : '';
  lines.push(`${name}: ${results}${ended} (${Math.floor(seconds / 60)} min ${seconds % 60} s)`);
}

if (total.skipped.length > 0) print(`Skipped:\n${total.skipped.map((each) => `  ${each}\n`).join('')}`);
for (const line of lines) print(line);
// Programs read this line, so its form never changes.
print(`${total}`);
if (total.failed > 0 || signal.aborted) process.exitCode ??= 1;

/** In the second tier, each file that failed runs once more, alone; what passes then is a defect to mend, and no failure. */
async function runTests(files: readonly string[]): Promise<Results> {
  const groups = groupFiles(files);
  // Their names put the processes for several files first, which take longest.
  const results = await runFiles([...groups.keys()].toSorted());
  // One of its files crashed or cannot be loaded: in a process of its own, the others run.
  const crashed = [...groups].filter(([group]) => !files.includes(group) && results.failures.delete(group));
  results.add(await runFiles(crashed.flatMap(([, members]) => members)));
  for (const [file, messages] of results.failures) {
    if (tierOf(file) !== 'heavy' || signal.aborted || (await runFiles([file])).failed > 0) continue;
    results.failures.delete(file);
    lines.push(`passed in a second run: ${file} › ${messages.join('; ')}`);
  }
  return results;
}

function runFiles(files: string[]): Promise<Results> {
  // Without it, a test of these checks would report to the process that runs the test.
  delete process.env.NODE_TEST_CONTEXT;
  const limit = new URL(`process-limit.ts?${processTimeoutMs}`, import.meta.url);
  const execArgv = ['--disable-warning=ExperimentalWarning', `--import=${limit}`, ...options];
  const concurrency = availableParallelism();
  return collectResults(run({ files, concurrency, execArgv, timeout: testTimeoutMs, signal }), signal);
}
