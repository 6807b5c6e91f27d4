/** Reporter of a process of test files: writes each result as a line of JSON to file descriptor 3, where the runner reads. */
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Transform } from 'node:stream';
import type { TestEvent as NodeEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { isOfProject } from './stack.ts';

/** A line of file descriptor 3. `titles` begin with the outermost suite. */
export type TestEvent =
  | { readonly kind: 'begun'; readonly id: number; readonly file: string; readonly titles: readonly string[] }
  | TestResult
  | { readonly kind: 'note'; readonly file: string; readonly text: string }
  | { readonly kind: 'done' };

export interface TestResult {
  readonly kind: 'result';
  readonly id: number;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly file: string;
  readonly line: number;
  readonly titles: readonly string[];
  /** Of an outermost test, which contains the time of its subtests; otherwise 0. */
  readonly durationMs: number;
  /** Why it was skipped, or how it failed. */
  readonly text: string;
}

interface NodeTestData {
  readonly name: string;
  readonly nesting: number;
  readonly testId?: number;
  readonly parentId?: number;
  readonly file?: string;
  readonly line?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: {
    readonly type?: string;
    readonly duration_ms: number;
    readonly error?: Error & { failureType?: string };
  };
}

const names = new Map<number, { readonly name: string; readonly parentId: number | undefined }>();

export default new Transform({
  writableObjectMode: true,
  transform(event: NodeEvent, _encoding, done): void {
    const line = describe(event);
    if (line !== null) writeSync(3, `${JSON.stringify(line)}\n`);
    done();
  },
});

function describe({ type, data }: NodeEvent): TestEvent | null {
  if (type === 'test:summary') return { kind: 'done' };
  if (type === 'test:dequeue') {
    const { name, testId: id = 0, parentId, file = '' } = data as unknown as NodeTestData;
    names.set(id, { name, parentId });
    return { kind: 'begun', id, file, titles: titlesOf(id) };
  }
  if (type === 'test:pass' || type === 'test:fail') return resultOf(type, data as unknown as NodeTestData);
  // The sums at the end, which the runner counts itself.
  if (
    type !== 'test:diagnostic' ||
    /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(data.message)
  )
    return null;
  return { kind: 'note', file: data.file ?? '', text: data.message };
}

function resultOf(type: 'test:pass' | 'test:fail', data: NodeTestData): TestResult | null {
  const { name, nesting, testId: id = 0, file = '', line = 1, skip, todo, details } = data;
  const common = { kind: 'result', id, file, line, durationMs: nesting === 0 ? details.duration_ms : 0 } as const;
  // What belongs to no test: an error in the modules of a file, or in a hook after its tests.
  const isHook = details.error?.failureType === 'hookFailed';
  const titles = resolve(name) !== file ? titlesOf(id) : [isHook ? 'after the tests' : 'cannot be loaded'];
  const reason = [skip, todo].find((each) => each !== undefined && each !== false);
  if (reason !== undefined)
    return { ...common, titles, outcome: 'skipped', text: reason === true ? 'without a reason' : String(reason) };
  const isSuite = details.type === 'suite';
  const { failureType } = details.error ?? {};
  // Its subtests count, and were reported. Its time still belongs to the file.
  if (isSuite ? type === 'test:pass' || failureType === 'subtestsFailed' : failureType === 'subtestsFailed')
    return nesting === 0 ? { ...common, titles: [], outcome: 'passed', text: '' } : null;
  if (type === 'test:pass') return { ...common, titles, outcome: 'passed', text: '' };
  return { ...common, titles, outcome: 'failed', text: describeFailure(details.error) };
}

function titlesOf(id: number): string[] {
  const titles = [];
  for (let entry = names.get(id); entry !== undefined; entry = names.get(entry.parentId ?? 0))
    titles.unshift(entry.name);
  return titles;
}

/** Message, what differs and the lines of the stack that are not Node's. */
function describeFailure(error: (Error & { failureType?: string }) | undefined): string {
  const { cause = error } = error ?? {};
  const hook = error?.failureType === 'hookFailed' ? `${error.message}: ` : '';
  return hook + describeCause(cause).split('\n').filter(isOfProject).join('\n').trimEnd();
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause === 'string' ? cause : inspect(cause);
  if (!('generatedMessage' in cause && 'actual' in cause && 'expected' in cause)) return inspect(cause);
  const { stack = cause.message, actual, expected } = cause;
  // A message of the test's own contains neither value.
  return cause.generatedMessage ? stack : `${stack}\nactual: ${inspect(actual)}\nexpected: ${inspect(expected)}`;
}
