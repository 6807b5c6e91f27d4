/** Grades a site by its response headers: checks with points, and notes without. */
import { adviceOn } from './advice.ts';
import { cookies, describeCookies, gradedCookies, parseCookies } from './cookies/cookies.ts';
import { checks } from './data/checks.ts';
import { listedValues } from './listed-values.ts';
import { type CheckId, type OutcomeOf, outcomes } from './outcomes.ts';
import { contentSecurityPolicy } from './policy/content-security-policy.ts';
import { notes } from './response-notes.ts';
import type { Check, Grade, GradedResponse, Note } from './schema.ts';
import { redirectedTo, redirection, strictTransportSecurity } from './transport-security.ts';

/** Maximum length of a header value in a check. */
const maxValueLength = 4096;

const truncate = (value: string | null): string | null =>
  value === null || value.length <= maxValueLength ? value : `${value.slice(0, maxValueLength - 1)}…`;

const ids = Object.keys(checks) as CheckId[];

export function grade(response: GradedResponse): Grade {
  const csp = contentSecurityPolicy(response);
  const hsts = strictTransportSecurity(response);
  const sent = parseCookies(response);
  const siteCookies = gradedCookies(response, sent);
  const found: { readonly [Id in CheckId]: OutcomeOf<Id> } = {
    ...listedValues(response, csp.policy),
    'content-security-policy': csp.outcome,
    cookies: cookies(sent, siteCookies, hsts === 'hsts-implemented-max-age-at-least-six-months'),
    // The Observatory grades the response to a request with an Origin header; this service sends none.
    'cross-origin-resource-sharing': 'cross-origin-resource-sharing-not-implemented',
    redirection: redirection(response),
    'strict-transport-security': hsts,
  };
  const gradedValueOf = (id: CheckId, header: string): string | null => {
    if (id === 'cookies') return describeCookies(response, siteCookies);
    if (id === 'redirection') return redirectedTo(response);
    return response.headers[header] ?? null;
  };
  const graded = ids.map((id): Check => {
    const outcome = found[id];
    const { points, pass, applicable, header, ...texts } = outcomes[outcome];
    return {
      id,
      title: checks[id].title,
      result: outcome,
      pass,
      applicable,
      scoreImpact: points,
      value: truncate(gradedValueOf(id, header)),
      ...texts,
      ...adviceOn(id, outcome, response),
    };
  });
  const { score, bonuses, countedBonuses } = scoreOf(graded);
  const withheld = bonuses - countedBonuses;
  return {
    score,
    grade: gradeOf(score),
    checks: graded,
    notes: [...(withheld > 0 ? [bonusWithheldNote(withheld)] : []), ...notes(response, csp.policy, sent)],
  };
}

const bonusWithheldNote = (points: number): Note => ({
  id: 'bonus-withheld',
  level: 'info',
  link: 'https://developer.mozilla.org/en-US/observatory/docs/tests_and_scoring',
  message: `Bonuses of ${points} points are withheld: they count only if the penalties leave at least ${bonusFrom} points.`,
});

/** Bonuses count only if the penalties leave at least this score. */
export const bonusFrom = 90;
export const maxScore = 100;

/** Minimum score of each grade, the best first. */
const leastScores: Readonly<Record<Grade['grade'], number>> = {
  'A+': 100,
  A: 90,
  'A-': 85,
  'B+': 80,
  B: 70,
  'B-': 65,
  'C+': 60,
  C: 50,
  'C-': 45,
  'D+': 40,
  D: 30,
  'D-': 25,
  F: 0,
};

/** The best first. */
export const grades = Object.keys(leastScores) as Grade['grade'][];

const gradeOf = (score: number): Grade['grade'] => grades.find((grade) => score >= leastScores[grade]) ?? 'F';

/** `penalties`: their sum, not positive. `bonuses`: the sum of all; `countedBonuses`: of those that count. */
export function scoreOf(checks: readonly Pick<Check, 'scoreImpact'>[]) {
  const impacts = checks.map(({ scoreImpact }) => scoreImpact);
  const penalties = impacts.reduce((sum, impact) => sum + Math.min(impact, 0), 0);
  const bonuses = impacts.reduce((sum, impact) => sum + Math.max(impact, 0), 0);
  const countedBonuses = maxScore + penalties >= bonusFrom ? bonuses : 0;
  const score = Math.min(maxScore, Math.max(0, maxScore + penalties + countedBonuses));
  return { score, penalties, bonuses, countedBonuses };
}
