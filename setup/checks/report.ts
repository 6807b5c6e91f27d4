/** Results of Node's test runner: prints each failure once, with the command that repeats it, and counts the rest. */
import { relative } from 'node:path';
import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';
import { root } from '../project.mjs';

export class Results {
  passed = 0;
  /** Title and first line of each, by file. */
  readonly failures = new Map<string, string[]>();
  /** Title and reason. */
  readonly skipped: string[] = [];

  get failed(): number {
    return [...this.failures.values()].flat().length;
  }

  add({ passed, failures, skipped }: Results): void {
    this.passed += passed;
    for (const [file, messages] of failures) this.failures.set(file, messages);
    this.skipped.push(...skipped);
  }

  toString(): string {
    return `${this.passed} passed, ${this.failed} failed, ${this.skipped.length} skipped`;
  }
}

/** All programs must be installed there, so a test that lacks one fails. */
const isCi = !['', '0', 'false'].includes(process.env.CI ?? '');
/** Another command runs the test, such as "only in npm run test:heavy". Any other one lacks a part of the system. */
const isDeliberate = (reason: unknown): boolean => /^only (?:in|with) /.test(String(reason));

/** Of a stack. */
const linesOfNode = /^(?:\s+at .*\bnode:|node:internal).*\n?/gm;

const { isTTY } = process.stdout;
/** The progress of a terminal is a line that is written over. */
const clearLine = isTTY ? '\r\x1b[K' : '';
export const print = (text: string): void => void process.stdout.write(`${clearLine}${text}\n`);

/** Resolves when a run has ended, or `signal` has ended it: what the signal ended did not fail. */
export async function collectResults(stream: TestsStream, signal: AbortSignal): Promise<Results> {
  const results = new Results();
  const titles: string[] = [];
  const outputs = new Map<string, string>();
  const notes: { file: string; message: string }[] = [];
  /** Results arrive in the order of the files, so those of later files wait for the first of these. */
  const running = new Set<string>();
  signal.addEventListener('abort', () => print(`Still running: ${[...running].join(', ')}`));
  const startedMs = performance.now();
  const printProgress = (): void => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const [first = 'no file'] = running;
    process.stdout.write(`${clearLine}tests: ${results} · ${seconds} s · ${first}${isTTY ? '' : '\n'}`);
  };
  const progress = setInterval(printProgress, isTTY ? 500 : 30_000);
  for await (const { type, data } of stream) {
    const file = testFileOf(data);
    if (type === 'test:dequeue' && pathOf(data.name) === file) running.add(file);
    if (type === 'test:complete' && pathOf(data.name) === file) running.delete(file);
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name);
    if (type === 'test:stderr') outputs.set(file, (outputs.get(file) ?? '') + data.message);
    if (type === 'test:diagnostic') notes.push({ file, message: data.message });
    if (signal.aborted || (type !== 'test:pass' && type !== 'test:fail')) continue;
    const { skip, details } = data;
    const isProcess = pathOf(data.name) === file;
    const title = isProcess ? 'its process failed' : titles.slice(0, data.nesting + 1).join(' › ');
    const fail = (text: string): void => {
      results.failures.set(file, [...(results.failures.get(file) ?? []), `${title}: ${text.split('\n', 1)[0]}`]);
      const shown = text.trim().replaceAll(linesOfNode, '').replaceAll(/^/gm, '  ');
      if (isTest(file)) print(`✖ ${pathOf(data.file)}:${data.line} › ${title}\n${shown}\n  npm test -- ${file}\n`);
    };
    if (type === 'test:fail') {
      const { cause, failureType } = details.error as { cause?: unknown; failureType?: string };
      // The subtests that failed were reported.
      if (failureType !== 'subtestsFailed') fail((isProcess && outputs.get(file)) || inspect(cause));
    } else if (skip !== undefined && skip !== false) {
      if (isCi && !isDeliberate(skip)) fail(`skipped in CI: ${skip}`);
      else results.skipped.push(`${file} › ${title}: ${skip}`);
    } else if (details.type !== 'suite') results.passed += 1;
  }
  clearInterval(progress);
  for (const { file, message } of notes) if (results.failures.has(file)) print(`${file}: ${message}`);
  return results;
}

/** The file of the process, which may run the tests of a suite; if the process is for several files, the file of the test. */
const testFileOf = ({ file, entryFile }: { file?: string; entryFile?: string }): string =>
  isTest(pathOf(entryFile)) ? pathOf(entryFile) : pathOf(file);
const pathOf = (file = ''): string => relative(root, file).replaceAll('\\', '/');
const isTest = (file: string): boolean => file.startsWith('test/');
