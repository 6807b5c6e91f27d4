/** X-Content-Type-Options: whether browsers may guess another media type than the declared one (Fetch §3.6). */
import type { GradedResponse } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

export function xContentTypeOptions({ headers }: GradedResponse): OutcomeOf<'x-content-type-options'> {
  const value = headers['x-content-type-options'];
  if (!value) return 'x-content-type-options-not-implemented';
  return value.trim().toLowerCase() === 'nosniff'
    ? 'x-content-type-options-nosniff'
    : 'x-content-type-options-header-invalid';
}
