/** Runs test files, counts their results and prints what failed, with the command that runs the file alone. */
import { pathToFileURL } from 'node:url';
import { root } from '../project.mjs';
import type { TestEvent } from './events.ts';
import { print } from './print.ts';
import { interruptedBy } from './processes.ts';
import { isDeliberate, type Part, titleOf } from './results.ts';
import { isOfProject } from './stack.ts';
import { type EndedTests, runTestFiles } from './test-process.ts';

const rootUrl = pathToFileURL(root).href;
/** Notes that are printed even if everything passed: of a test that was near its limit. */
const nearLimit = /\bnear its limit\b/i;
/** Lines of a file's output that are printed if it fails. */
const outputLines = 60;

export interface TestRun {
  readonly part: Part;
  /** Options of Node for each process. */
  readonly options: readonly string[];
  /** In CI, where all programs must be installed, a test that lacks one fails. */
  readonly isCi: boolean;
  /** By file, for the list of the slowest. */
  readonly durationsMs: Map<string, number>;
}

/** Runs a file in a process of its own. */
export async function runAlone(run: TestRun, file: string): Promise<void> {
  const startMs = performance.now();
  const events: TestEvent[] = [];
  const ended = await runTestFiles([file], run.options, (event) => {
    events.push(event);
    count(run, event);
  });
  run.durationsMs.set(file, performance.now() - startMs);
  if (interruptedBy() !== null) return;
  const hasFailures = events.some(isFailure);
  const isUnreported = !ended.isComplete || (ended.code !== 0 && !hasFailures);
  if (isUnreported) fail(run, file, describeEnd(ended));
  else if (hasFailures && ended.output !== '') print(`Output of ${file}:\n${lastLines(ended.output)}`);
  for (const event of events)
    if (event.kind === 'note' && (hasFailures || nearLimit.test(event.text))) printNote(event);
}

/**
 * Runs files in one process. If it crashes or cannot load a file, nothing of it counts, and each file runs in a process
 * of its own, which shows the one that failed.
 */
export async function runTogether(run: TestRun, files: readonly string[]): Promise<void> {
  const events: TestEvent[] = [];
  const ended = await runTestFiles(files, run.options, (event) => events.push(event));
  if (interruptedBy() !== null) return;
  if (!ended.isComplete || (ended.code !== 0 && !events.some(isFailure))) {
    for (const file of files) if (interruptedBy() === null) await runAlone(run, file);
    return;
  }
  for (const event of events) {
    count(run, event);
    if (event.kind === 'result')
      run.durationsMs.set(event.file, (run.durationsMs.get(event.file) ?? 0) + event.durationMs);
    if (event.kind === 'note' && nearLimit.test(event.text)) printNote(event);
  }
}

const isFailure = (event: TestEvent): boolean => event.kind === 'result' && event.outcome === 'failed';

function count(run: TestRun, event: TestEvent): void {
  const { part, isCi } = run;
  // What a signal ended did not fail.
  if (event.kind !== 'result' || event.titles.length === 0 || interruptedBy() !== null) return;
  if (event.outcome === 'passed') part.passed += 1;
  if (event.outcome === 'failed') {
    const { file, line, text } = event;
    fail(run, file, `${titleOf(event)}\n${text}`, line);
  }
  if (event.outcome !== 'skipped') return;
  const skipped = { file: event.file, title: titleOf(event), reason: event.text };
  if (isCi && !isDeliberate(skipped))
    fail(run, event.file, `${skipped.title}\nskipped in CI: ${event.text}`, event.line);
  else part.skipped.push(skipped);
}

function fail({ part }: TestRun, file: string, text: string, line?: number): void {
  part.failed += 1;
  const [title = '', ...rest] = text.split('\n');
  const place = line === undefined ? file : `${file}:${line}`;
  print(`✖ ${place} › ${title}${indent(rest)}\n  npm test -- ${file}\n`);
}

function describeEnd({ code, isComplete, unfinished, output }: EndedTests): string {
  const during = unfinished.length > 0 ? ` during: ${unfinished.join('; ')}` : '';
  return `the process ended with ${code}${isComplete ? ' after its tests' : during}\n${lastLines(output)}`;
}

const printNote = ({ file, text }: { readonly file: string; readonly text: string }): void => print(`${file}: ${text}`);

const lastLines = (text: string): string => text.split('\n').filter(isOfProject).slice(-outputLines).join('\n');

const indent = (lines: readonly string[]): string =>
  lines.map((line) => `\n  ${line.replace(rootUrl, '')}`.trimEnd()).join('');
