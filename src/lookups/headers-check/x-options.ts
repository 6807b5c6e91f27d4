/** X-Frame-Options (HTML §7.4.5) and X-Content-Type-Options (Fetch §3.6). */
import type { Policy } from './content-security-policy.ts';
import type { OutcomeOf } from './outcomes.ts';
import type { GradedResponse } from './schema.ts';

/** Sites that may show the page in a frame; frame-ancestors in a policy takes precedence. */
export function xFrameOptions({ headers }: GradedResponse, policy: Policy | null): OutcomeOf<'x-frame-options'> {
  if (policy?.has('frame-ancestors')) return 'x-frame-options-implemented-via-csp';
  const value = headers['x-frame-options'];
  if (!value) return 'x-frame-options-not-implemented';
  const option = value.trim().toLowerCase();
  if (option === 'deny' || option === 'sameorigin') return 'x-frame-options-sameorigin-or-deny';
  return option.startsWith('allow-from') ? 'x-frame-options-allow-from-origin' : 'x-frame-options-header-invalid';
}

/** Whether browsers may guess another media type than the declared one. */
export function xContentTypeOptions({ headers }: GradedResponse): OutcomeOf<'x-content-type-options'> {
  const value = headers['x-content-type-options'];
  if (!value) return 'x-content-type-options-not-implemented';
  return value.trim().toLowerCase() === 'nosniff'
    ? 'x-content-type-options-nosniff'
    : 'x-content-type-options-header-invalid';
}
