/** X-Frame-Options: who may show the page in a frame, where no frame-ancestors says it (HTML §7.4.5). */
import type { Policy } from './content-security-policy.ts';
import type { GradedResponse } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

export function xFrameOptions({ headers }: GradedResponse, policy: Policy | null): OutcomeOf<'x-frame-options'> {
  if (policy?.has('frame-ancestors')) return 'x-frame-options-implemented-via-csp';
  const value = headers['x-frame-options'];
  if (!value) return 'x-frame-options-not-implemented';
  const option = value.trim().toLowerCase();
  if (option === 'deny' || option === 'sameorigin') return 'x-frame-options-sameorigin-or-deny';
  return option.startsWith('allow-from') ? 'x-frame-options-allow-from-origin' : 'x-frame-options-header-invalid';
}
