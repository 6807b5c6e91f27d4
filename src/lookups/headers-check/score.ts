/** Computes score and grade from the points of the checks, like the HTTP Observatory; the page explains them from here. */
import type { Check, Grade } from './schema.ts';

/** Bonuses count only if the penalties leave at least this score. */
export const bonusFrom = 90;
export const maxScore = 100;

/** Minimum score of each grade. */
const bands: readonly (readonly [from: number, Grade['grade']])[] = [
  [100, 'A+'],
  [90, 'A'],
  [85, 'A-'],
  [80, 'B+'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
  [0, 'F'],
];

export const gradeOf = (score: number): Grade['grade'] => bands.find(([from]) => score >= from)?.[1] ?? 'F';

export interface Score {
  /** From 0 to 100. */
  readonly score: number;
  /** Sum of the penalties, not positive. */
  readonly penalties: number;
  /** Sum of all bonuses, and of those that count. */
  readonly bonuses: number;
  readonly countedBonuses: number;
}

export function scoreOf(checks: readonly Pick<Check, 'scoreImpact'>[]): Score {
  const sum = (impacts: readonly number[]): number => impacts.reduce((total, impact) => total + impact, 0);
  const impacts = checks.map(({ scoreImpact }) => scoreImpact);
  const penalties = sum(impacts.filter((impact) => impact < 0));
  const bonuses = sum(impacts.filter((impact) => impact > 0));
  const countedBonuses = maxScore + penalties >= bonusFrom ? bonuses : 0;
  const score = Math.min(maxScore, Math.max(0, maxScore + penalties + countedBonuses));
  return { score, penalties, bonuses, countedBonuses };
}
