/** Outcomes of all checks, with the defaults that their table leaves out. */
import { type CheckRow, checks, type OutcomeRow } from './data/checks.ts';

export type CheckId = keyof typeof checks;
export type OutcomeOf<Id extends CheckId> = keyof (typeof checks)[Id]['outcomes'];
export type Outcome = { [Id in CheckId]: OutcomeOf<Id> }[CheckId];

/** All outcomes of all checks with their defaults; their names are unique. */
export const outcomes = Object.fromEntries(
  Object.entries<CheckRow>(checks).flatMap(([id, check]) =>
    Object.entries(check.outcomes).map(([name, row]) => [name, completeRow(id, check, row)]),
  ),
) as Readonly<Record<Outcome, ReturnType<typeof completeRow>>>;

function completeRow(
  id: string,
  { header = id, line, remedy = `Send: ${line}` }: CheckRow,
  [points, description, recommendation = points > 0 ? null : remedy, exceptions = {}]: OutcomeRow,
) {
  const suggestion = recommendation === remedy ? (line ?? null) : null;
  const pass = points >= 0;
  return { points, description, recommendation, suggestion, pass, applicable: true, header, ...exceptions };
}
