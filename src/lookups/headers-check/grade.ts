/** The grade of a site by the headers it sends: checks with points, and notes without. */
import { contentSecurityPolicy } from './content-security-policy.ts';
import { cookies, describedCookies, keptCookies, sentCookies } from './cookies.ts';
import {
  crossOriginEmbedderPolicy,
  crossOriginOpenerPolicy,
  crossOriginResourcePolicy,
  crossOriginResourceSharing,
} from './cross-origin.ts';
import type { Check, Grade, Note } from './grade-schema.ts';
import type { GradedResponse } from './header-check.ts';
import { notes } from './notes.ts';
import { type CheckId, checks, type OutcomeOf, rows } from './outcomes.ts';
import { redirectedTo, redirection } from './redirection.ts';
import { referrerPolicy } from './referrer-policy.ts';
import { strictTransportSecurity } from './strict-transport-security.ts';
import { xContentTypeOptions } from './x-content-type-options.ts';
import { xFrameOptions } from './x-frame-options.ts';

/** With fewer points than this before any are given, none are given. */
const bonusFrom = 90;

/** From how many points on. */
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

/** So much of a header is shown. */
const maxValueLength = 4096;

const shortened = (value: string | null): string | null =>
  value === null || value.length <= maxValueLength ? value : `${value.slice(0, maxValueLength - 1)}…`;

const ids = Object.keys(checks) as CheckId[];

export function grade(response: GradedResponse): Grade {
  const csp = contentSecurityPolicy(response);
  const hsts = strictTransportSecurity(response);
  const sent = sentCookies(response);
  const kept = keptCookies(response, sent);
  const outcomes: { readonly [Id in CheckId]: OutcomeOf<Id> } = {
    'content-security-policy': csp.outcome,
    cookies: cookies(sent, kept, hsts === 'hsts-implemented-max-age-at-least-six-months'),
    'cross-origin-embedder-policy': crossOriginEmbedderPolicy(response),
    'cross-origin-opener-policy': crossOriginOpenerPolicy(response),
    'cross-origin-resource-policy': crossOriginResourcePolicy(response),
    'cross-origin-resource-sharing': crossOriginResourceSharing(),
    redirection: redirection(response),
    'referrer-policy': referrerPolicy(response),
    'strict-transport-security': hsts,
    'x-content-type-options': xContentTypeOptions(response),
    'x-frame-options': xFrameOptions(response, csp.policy),
  };
  const judgedValue = (id: CheckId): string | null => {
    if (id === 'cookies') return describedCookies(kept);
    if (id === 'redirection') return redirectedTo(response);
    const header = rows[outcomes[id]].header ?? checks[id].header;
    return header === null ? null : (response.headers[header] ?? null);
  };
  const judged = ids.map((id): Check => {
    const { points, pass, applicable = true, description, recommendation } = rows[outcomes[id]];
    const value = shortened(judgedValue(id));
    const { title } = checks[id];
    return {
      id,
      title,
      result: outcomes[id],
      pass,
      applicable,
      scoreImpact: points,
      value,
      description,
      recommendation,
    };
  });
  const { score, withheld } = scoreOf(judged);
  return {
    score,
    grade: bands.find(([from]) => score >= from)?.[1] ?? 'F',
    checks: judged,
    notes: [...(withheld > 0 ? [bonusWithheld(withheld)] : []), ...notes(response, csp.policy, sent)],
  };
}

function scoreOf(judged: readonly Check[]): { score: number; withheld: number } {
  const sum = (impacts: readonly number[]): number => impacts.reduce((total, impact) => total + impact, 0);
  const impacts = judged.map(({ scoreImpact }) => scoreImpact);
  const uncurved = 100 + sum(impacts.filter((impact) => impact < 0));
  const bonus = sum(impacts.filter((impact) => impact > 0));
  const given = uncurved >= bonusFrom ? bonus : 0;
  return { score: Math.min(100, Math.max(0, uncurved + given)), withheld: bonus - given };
}

const bonusWithheld = (points: number): Note => ({
  id: 'bonus-withheld',
  level: 'info',
  message: `Bonuses of ${points} points are withheld: they count only where deductions leave ${bonusFrom} points or more.`,
});
