/** Results of the parts of a check: counts, failures and skipped tests. */
import type { TestResult } from './events.ts';

export type PartName = 'types' | 'lint' | 'tests' | 'attacks';

export interface Skipped {
  readonly file: string;
  readonly title: string;
  readonly reason: string;
}

export interface Part {
  readonly name: PartName;
  /** Processes: all of them, and those that have ended. */
  jobs: number;
  ended: number;
  startedMs: number | null;
  durationMs: number;
  /** Tests. Types and lint count only what failed. */
  passed: number;
  failed: number;
  readonly skipped: Skipped[];
  /** Ended before its end by a signal, or unable to run. */
  problem: string | null;
}

export const createPart = (name: PartName): Part => ({
  name,
  jobs: 0,
  ended: 0,
  startedMs: null,
  durationMs: 0,
  passed: 0,
  failed: 0,
  skipped: [],
  problem: null,
});

/** Whether another command runs the test, such as "only in npm run test:all". Any other one lacks a part of the system. */
export const isDeliberate = ({ reason }: Skipped): boolean => /^only (?:in|with) /.test(reason);

export const titleOf = ({ titles }: Pick<TestResult, 'titles'>): string => titles.join(' › ');

export const hasFailed = (part: Part): boolean => part.failed > 0 || part.problem !== null || part.ended < part.jobs;

/** The result of a part in a line, such as "tests: 1 failed of 6,205, 3 skipped (4 min 12 s)". */
export function describePart(part: Part): string {
  const { name, failed, skipped } = part;
  if (part.startedMs === null) return `${name}: not run`;
  const time = ` (${describeDuration(part.durationMs)})`;
  const ended = part.ended < part.jobs ? `; not run: ${part.jobs - part.ended} of ${part.jobs} processes` : '';
  const rest = `${part.problem === null ? '' : `; ${part.problem}`}${ended}${time}`;
  if (name === 'types' || name === 'lint')
    return `${name}: ${failed > 0 ? countOf(failed, 'error') : hasFailed(part) ? 'incomplete' : 'passed'}${rest}`;
  const skips = skipped.length > 0 ? `, ${numberOf(skipped.length)} skipped` : '';
  const tests = numberOf(part.passed + failed);
  return `${name}: ${failed > 0 ? `${numberOf(failed)} failed of ${tests}` : `${tests} passed`}${skips}${rest}`;
}

export const numberOf = (value: number): string => value.toLocaleString('en-US');

export const countOf = (value: number, noun: string): string => `${numberOf(value)} ${noun}${value === 1 ? '' : 's'}`;

export function describeDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return `${(ms / 1000).toFixed(1)} s`;
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
