/** Runs test files in a process of their own. */
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../project.mjs';
import type { TestEvent } from './events.ts';
import { startProcess } from './processes.ts';

const reporter = new URL('events.ts', import.meta.url).href;
/** Of one test, and of a suite with all of its tests: ends what hangs, and is no measure of speed, because a busy machine takes long. */
const testTimeoutMs = 600_000;
/** Longer than any test may take: a process that reports nothing for so long hangs after its tests. */
const silenceMs = 900_000;

export interface EndedTests {
  /** Exit code, or name of the signal. */
  readonly code: number | string;
  /** Whether all tests were reported; otherwise the process crashed, or could not load a file. */
  readonly isComplete: boolean;
  /** Titles of the tests that had begun and did not end. */
  readonly unfinished: readonly string[];
  readonly output: string;
}

/** `options` are those of Node, such as `--test-name-pattern=...`. Several files share the process, which loads each module once. */
export async function runTestFiles(
  files: readonly string[],
  options: readonly string[],
  onEvent: (event: TestEvent) => void,
): Promise<EndedTests> {
  const started = startProcess([
    ...[process.execPath, '--disable-warning=ExperimentalWarning'],
    ...[`--test-timeout=${testTimeoutMs}`, `--test-reporter=${reporter}`, ...options],
    ...(files.length > 1 ? ['--test', '--test-isolation=none'] : []),
    ...files,
  ]);
  const running = new Map<number, readonly string[]>();
  let isComplete = false;
  const silence = setTimeout(started.end, silenceMs);
  createInterface({ input: started.reports }).on('line', (line) => {
    silence.refresh();
    const event: TestEvent = JSON.parse(line);
    if (event.kind === 'begun') running.set(event.id, event.titles);
    if (event.kind === 'result') running.delete(event.id);
    if (event.kind === 'done') isComplete = true;
    onEvent('file' in event ? { ...event, file: pathOf(event.file) } : event);
  });
  const { code, output } = await started.ended;
  clearTimeout(silence);
  const unfinished = [...running.values()].map((titles) => titles.join(' › '));
  return { code, isComplete, unfinished, output: output.trim() };
}

const pathOf = (file: string): string => relative(root, file).replaceAll('\\', '/');
