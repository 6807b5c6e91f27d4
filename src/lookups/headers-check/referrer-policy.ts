/** Referrer-Policy: the part of the URL that other sites receive when a visitor follows a link (Referrer Policy §3). */

import type { OutcomeOf } from './outcomes.ts';
import type { GradedResponse } from './schema.ts';

const outcomeOfPolicy = new Map<string, OutcomeOf<'referrer-policy'>>([
  ['no-referrer', 'referrer-policy-private'],
  ['same-origin', 'referrer-policy-private'],
  ['strict-origin', 'referrer-policy-private'],
  ['strict-origin-when-cross-origin', 'referrer-policy-private'],
  ['origin', 'referrer-policy-unsafe'],
  ['origin-when-cross-origin', 'referrer-policy-unsafe'],
  ['no-referrer-when-downgrade', 'referrer-policy-unsafe'],
  ['unsafe-url', 'referrer-policy-unsafe'],
]);

export function referrerPolicy({ headers }: GradedResponse): OutcomeOf<'referrer-policy'> {
  const value = headers['referrer-policy'];
  if (value === undefined) return 'referrer-policy-not-implemented';
  // Browsers use the last policy they know (§8.1).
  const known = value.split(',').map((policy) => outcomeOfPolicy.get(policy.trim().toLowerCase()));
  return known.findLast((outcome) => outcome !== undefined) ?? 'referrer-policy-header-invalid';
}
