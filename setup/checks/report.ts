/** Results of Node's test runner: prints each failure once, with the command that repeats it, and counts the rest. */
import { relative } from 'node:path';
import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';
import { root } from '../project.mjs';

export interface Results {
  passed: number;
  /** What failed: a title and a message, by file. */
  readonly failures: Map<string, string[]>;
  /** Title and reason. */
  readonly skipped: string[];
  /** Milliseconds, by file. */
  readonly durations: Map<string, number>;
}

/** Adds results to others. */
export function merge(results: Results, { passed, failures, skipped, durations }: Results): void {
  results.passed += passed;
  for (const [file, messages] of failures) results.failures.set(file, messages);
  results.skipped.push(...skipped);
  for (const [file, ms] of durations) results.durations.set(file, ms);
}

/** All programs must be installed there, so a test that lacks one fails. */
const isCi = !['', '0', 'false'].includes(process.env.CI ?? '');
/** Lines of its output that are printed of a process that crashed. */
const outputLines = 40;
/** Another command runs the test, such as "only in npm run test:all". Any other one lacks a part of the system. */
const isDeliberate = (reason: unknown): boolean => /^only (?:in|with) /.test(String(reason));
const isNearLimit = (message: string): boolean => /\bnear its limit\b/i.test(message);

export const print = (text: string): void => {
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${text}\n`);
};

/** Resolves when all tests have ended, or `signal` has ended them: what it ended did not fail. */
export async function collectResults(stream: TestsStream, signal: AbortSignal): Promise<Results> {
  const results: Results = { passed: 0, failures: new Map(), skipped: [], durations: new Map() };
  const titles: string[] = [];
  const outputs = new Map<string, string>();
  const notes: { file: string; message: string }[] = [];
  const stopProgress = startProgress(results);
  const fail = (file: string, line: number | undefined, title: string, text: string): void => {
    results.failures.set(file, [...(results.failures.get(file) ?? []), `${title}: ${text.split('\n', 1)[0]}`]);
    if (file.startsWith('test/')) print(`✖ ${file}:${line} › ${title}\n${indent(text)}\n  npm test -- ${file}\n`);
  };
  for await (const { type, data } of stream) {
    const file = pathOf('file' in data ? data.file : undefined);
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name);
    if (type === 'test:stderr') outputs.set(file, (outputs.get(file) ?? '') + data.message);
    if (type === 'test:diagnostic' && file !== '') notes.push({ file, message: data.message });
    if (signal.aborted || (type !== 'test:pass' && type !== 'test:fail')) continue;
    const { nesting, skip, line } = data;
    const isProcess = pathOf(data.name) === file;
    const title = isProcess ? 'its process failed' : titles.slice(0, nesting + 1).join(' › ');
    if (nesting === 0) results.durations.set(file, (results.durations.get(file) ?? 0) + data.details.duration_ms);
    if (type === 'test:fail') {
      const { error } = data.details;
      // The subtests that failed were reported.
      if ((error as { failureType?: string }).failureType !== 'subtestsFailed')
        fail(file, line, title, isProcess ? lastLines(outputs.get(file) ?? '') : describeError(error));
    } else if (skip !== undefined && skip !== false) {
      if (isCi && !isDeliberate(skip)) fail(file, line, title, `skipped in CI: ${skip}`);
      else results.skipped.push(`${file} › ${title}: ${skip}`);
    } else if (data.details.type !== 'suite') results.passed += 1;
  }
  stopProgress();
  for (const { file, message } of notes)
    if (results.failures.has(file) || isNearLimit(message)) print(`${file}: ${message}`);
  return results;
}

/** Prints a line that is rewritten, or every half a minute if no terminal shows it. */
function startProgress(results: Results): () => void {
  const startedMs = performance.now();
  const timer = setInterval(
    () => {
      const { passed, failures } = results;
      const failed = failures.size > 0 ? `, failed in ${failures.size} files` : '';
      const line = `tests: ${numberOf(passed)} passed${failed} · ${Math.round((performance.now() - startedMs) / 1000)} s`;
      if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
      else print(line);
    },
    process.stdout.isTTY ? 500 : 30_000,
  );
  return () => clearInterval(timer);
}

export const numberOf = (value: number): string => value.toLocaleString('en-US');

const pathOf = (file = ''): string => relative(root, file).replaceAll('\\', '/');

/** Message, what differs, and the lines of the stack that are not Node's. */
function describeError(error: Error & { cause?: unknown }): string {
  const { cause = error } = error;
  if (!(cause instanceof Error)) return typeof cause === 'string' ? cause : inspect(cause);
  const { actual, expected, generatedMessage } = cause as Partial<import('node:assert').AssertionError>;
  // A message of the test's own contains neither value.
  const values = generatedMessage === false ? `\nactual: ${inspect(actual)}\nexpected: ${inspect(expected)}` : '';
  return withoutNode(`${cause.stack ?? cause.message}${values}`);
}

const withoutNode = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^(?:\s+at .*\bnode:|node:internal)/.test(line))
    .join('\n');

const lastLines = (text: string): string => withoutNode(text.trim()).split('\n').slice(-outputLines).join('\n');

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
