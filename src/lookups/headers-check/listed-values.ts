/** Checks of headers with a short list of valid values, as the specifications of the web define them. */
import { parseItem, Token } from 'structured-headers';
import { type Outcome, type OutcomeOf, outcomes } from './outcomes.ts';
import type { Policy } from './policy/content-security-policy.ts';
import type { GradedResponse } from './schema.ts';

/** The outcome of each of these checks; `policy` is the Content-Security-Policy. */
export const listedValues = ({ headers }: GradedResponse, policy: Policy | null) => ({
  /** Which resources of other origins the page may embed (HTML §7.1.4). */
  'cross-origin-embedder-policy': gradeToken('coep', headers['cross-origin-embedder-policy'], tokenOf),
  /** Whether windows of other origins may access the window of the page (HTML §7.1.3). */
  'cross-origin-opener-policy': gradeToken('coop', headers['cross-origin-opener-policy'], tokenOf),
  /** Whether other sites may embed the response (Fetch §3.8). */
  'cross-origin-resource-policy': gradeToken('corp', headers['cross-origin-resource-policy'], normalize),
  'referrer-policy': referrerPolicy(headers['referrer-policy']),
  'x-content-type-options': xContentTypeOptions(headers['x-content-type-options']),
  'x-frame-options': xFrameOptions(headers['x-frame-options'], policy),
});

/** Each valid token has an outcome of its own. */
function gradeToken<Prefix extends string>(prefix: Prefix, value: string | undefined, read: (value: string) => string) {
  const outcome = `${prefix}-${value ? `implemented-with-${read(value)}` : 'not-implemented'}`;
  return (outcome in outcomes ? outcome : `${prefix}-header-invalid`) as Extract<Outcome, `${Prefix}-${string}`>;
}

/** The token of a structured field (RFC 9651 §3.3.4) without its parameters; empty for anything else. */
function tokenOf(value: string): string {
  try {
    const [item] = parseItem(value);
    return item instanceof Token ? item.toString() : '';
  } catch {
    return '';
  }
}

/** Whether other sites may show the page in a frame (HTML §7.4.5); frame-ancestors in a policy takes precedence. */
function xFrameOptions(value: string | undefined, policy: Policy | null): OutcomeOf<'x-frame-options'> {
  if (policy?.has('frame-ancestors')) return 'x-frame-options-implemented-via-csp';
  if (!value) return 'x-frame-options-not-implemented';
  const option = normalize(value);
  if (option === 'deny' || option === 'sameorigin') return 'x-frame-options-sameorigin-or-deny';
  return option.startsWith('allow-from') ? 'x-frame-options-allow-from-origin' : 'x-frame-options-header-invalid';
}

/** Whether browsers may guess another media type than the declared one (Fetch §3.6). */
function xContentTypeOptions(value: string | undefined): OutcomeOf<'x-content-type-options'> {
  if (!value) return 'x-content-type-options-not-implemented';
  return normalize(value) === 'nosniff' ? 'x-content-type-options-nosniff' : 'x-content-type-options-header-invalid';
}

const normalize = (value: string): string => value.trim().toLowerCase();

const privatePolicies = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'];
const unsafePolicies = ['origin', 'origin-when-cross-origin', 'no-referrer-when-downgrade', 'unsafe-url'];

export const isReferrerPolicy = (value: string): boolean =>
  [...privatePolicies, ...unsafePolicies].includes(value.toLowerCase());

/** The part of the URL that other sites receive when a visitor follows a link (Referrer Policy §3). */
function referrerPolicy(value: string | undefined): OutcomeOf<'referrer-policy'> {
  if (value === undefined) return 'referrer-policy-not-implemented';
  // Browsers use the last policy they know (§8.1).
  const policy = value.split(',').map(normalize).findLast(isReferrerPolicy);
  if (policy === undefined) return 'referrer-policy-header-invalid';
  return privatePolicies.includes(policy) ? 'referrer-policy-private' : 'referrer-policy-unsafe';
}
