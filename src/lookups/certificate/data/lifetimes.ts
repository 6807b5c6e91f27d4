/**
 * Longest lifetime of a publicly trusted certificate by the day from which it applies to new ones. CA/Browser Forum, Baseline Requirements
 * §6.3.2 and their ballots 114, 193 and SC-081v3; 398 days: the root programs of Apple, Mozilla and Google. Last updated: 2026-11-28
 */
export const maxLifetimes: readonly (readonly [from: string, days: number])[] = [
  ['2029-03-15', 47],
  ['2027-03-15', 100],
  ['2026-03-15', 200],
  ['2020-09-01', 398],
  ['2018-03-01', 825],
  // 39 and 60 months.
  ['2015-04-01', 1_188],
  ['0000-01-01', 1_827],
];
