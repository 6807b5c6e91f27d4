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

/** The best first. */
export const grades = bands.map(([, grade]) => grade);

export const gradeOf = (score: number): Grade['grade'] => bands.find(([from]) => score >= from)?.[1] ?? 'F';

/** `penalties`: their sum, not positive. `bonuses`: the sum of all; `countedBonuses`: of those that count. */
export function scoreOf(checks: readonly Pick<Check, 'scoreImpact'>[]) {
  const impacts = checks.map(({ scoreImpact }) => scoreImpact);
  const penalties = impacts.reduce((sum, impact) => sum + Math.min(impact, 0), 0);
  const bonuses = impacts.reduce((sum, impact) => sum + Math.max(impact, 0), 0);
  const countedBonuses = maxScore + penalties >= bonusFrom ? bonuses : 0;
  const score = Math.min(maxScore, Math.max(0, maxScore + penalties + countedBonuses));
  return { score, penalties, bonuses, countedBonuses };
}
