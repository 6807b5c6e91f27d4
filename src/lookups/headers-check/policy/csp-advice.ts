/** Advice on a Content-Security-Policy: what browsers read in it if the HTTP Observatory reads something else, and a better one. */
import { outcomes } from '../outcomes.ts';
import type { Check, GradedResponse } from '../schema.ts';
import { type CspOutcome, contentSecurityPolicy, replaceableOutcomes } from './content-security-policy.ts';
import { addFrameAncestors, hasFrameAncestors, suggestPolicy } from './csp-suggestion.ts';
import { directivesOf } from './csp-syntax.ts';
import { enforcedOutcome, isInvalidNonceOrHash, policiesOf } from './enforced-policy.ts';
import { blocksFrames } from './framing.ts';

export type Advice = Partial<Pick<Check, 'description' | 'recommendation' | 'suggestion'>>;
export type Adviser = (response: GradedResponse) => Advice;

/** Advice on the policy that is sent, or on its absence. */
export function adviseOnPolicy(response: GradedResponse): Advice {
  const { outcome, problem } = contentSecurityPolicy(response);
  if (outcome === 'csp-header-invalid') return explainInvalidPolicy(response, problem ?? '');
  return outcome.startsWith('csp-not-implemented') ? advisePolicy(outcome, response) : explainPolicy(outcome, response);
}

/** The texts of the outcome that fits what browsers enforce, if that is another one than the graded one. */
function explainPolicy(graded: CspOutcome, response: GradedResponse): Advice {
  const enforced = enforcedOutcome(response) ?? graded;
  const worst = outcomes[enforced].points < outcomes[graded].points ? enforced : graded;
  const advice = outcomes[worst].points < 0 ? advisePolicy(worst, response) : {};
  const isSame =
    graded === 'csp-implemented-but-duplicate-directives' ? replaceableOutcomes.has(enforced) : enforced === graded;
  if (isSame) return advice;
  const description = `Unlike the HTTP Observatory, browsers ${differenceOf(response)}. ${outcomes[enforced].description}`;
  return { ...(worst !== graded && { recommendation: outcomes[worst].recommendation }), ...advice, description };
}

const tried = 'csp-not-implemented-but-reporting-enabled';

/** The recommendation of the outcome, if there is a policy to correct, and a better policy with what it blocks. */
function advisePolicy(outcome: CspOutcome, response: GradedResponse): Advice {
  const suggested = suggestPolicy(response);
  const { recommendation } = outcomes[outcome];
  if (suggested === null) return { recommendation, suggestion: null };
  const { line, isEnforced, blocked } = suggested;
  if (line === null) return { recommendation: outcomes[tried].recommendation, suggestion: null };
  const effect = `${describeEffect(blocked, isEnforced)}${noncePlace(line)}`;
  const isFirst = outcome === tried || outcome === 'csp-not-implemented';
  return { recommendation: isFirst ? effect : `${recommendation} ${effect}`, suggestion: line };
}

function describeEffect(blocked: readonly string[], isEnforced: boolean): string {
  if (blocked.length === 0) return 'The suggested policy blocks nothing that the site may load today.';
  const list = blocked.join(', ');
  return isEnforced
    ? `The suggested policy keeps what the site's own origin may load, but blocks ${list}. Add the hosts that the site needs.`
    : `The suggested header only reports, in the browser's console, what its policy would block: ${list}. Permit what the site needs, then send it as Content-Security-Policy.`;
}

const noncePlace = (line: string): string =>
  line.includes("'nonce-…'") ? ' In place of nonce-…, send the nonce of each response.' : '';

function differenceOf({ headers }: GradedResponse): string {
  const header = headers['content-security-policy'] ?? '';
  const directives = directivesOf(header);
  const parts = directives.map(({ name }) => name).filter((name) => /^(?:script|style)-src-(?:elem|attr)$/.test(name));
  const differences = [
    policiesOf(header).length > 1 && 'apply each policy by itself',
    directives.some(({ sources }) => sources.some(isInvalidNonceOrHash)) &&
      'ignore nonces and hashes that are not base64',
    parts.length > 0 && `apply ${[...new Set(parts)].join(', ')}`,
  ].filter((each) => each !== false);
  return differences.join(', and ') || 'apply other sources of the policy';
}

function explainInvalidPolicy(response: GradedResponse, problem: string): Advice {
  const isEmpty = policiesOf(response.headers['content-security-policy'] ?? '').length === 0;
  return {
    ...advisePolicy('csp-header-invalid', response),
    description: isEmpty
      ? 'The header contains no policy, so it restricts nothing.'
      : `${problem}, but the HTTP Observatory counts the policy as invalid.`,
  };
}

const framing =
  'Browsers obey frame-ancestors in the Content-Security-Policy, which the HTTP Observatory does not read because the policy is invalid.';

/** frame-ancestors replaces X-Frame-Options in browsers (HTML §7.4.5), also in a policy that the grade does not read. */
export const explainFraming =
  (advise: Adviser, adviseObeyed: Adviser = suggestFraming): Adviser =>
  (response) =>
    hasFrameAncestors(response.headers['content-security-policy'] ?? '')
      ? { ...adviseObeyed(response), description: framing }
      : advise(response);

/** A policy that the grade reads, or an X-Frame-Options that says the same as the policy. */
function suggestFraming(response: GradedResponse): Advice {
  const better = suggestPolicy(response);
  const recommendation = 'Correct the Content-Security-Policy: its frame-ancestors then counts.';
  if (better?.isEnforced) return { recommendation, suggestion: better.line };
  const sources = policiesOf(response.headers['content-security-policy'] ?? '').flatMap((policy) => [
    ...(policy.get('frame-ancestors') ?? []),
  ]);
  const [option = null] = ["'none'", "'self'"].filter((source) => sources.every((each) => each === source));
  if (option === null) return { recommendation, suggestion: null };
  const line = `X-Frame-Options: ${option === "'none'" ? 'DENY' : 'SAMEORIGIN'}`;
  return { recommendation: `Send: ${line}`, suggestion: line };
}

/**
 * The directive that replaces ALLOW-FROM, in the policy that is suggested or else in the one that is sent: no other check suggests another
 * policy.
 */
export function suggestFrameAncestors(response: GradedResponse): Advice {
  const { headers } = response;
  const sent = headers['content-security-policy'] ?? '';
  const better = adviseOnPolicy(response).suggestion ?? '';
  const isEnforced = better.startsWith('Content-Security-Policy:');
  return {
    recommendation: outcomes['x-frame-options-allow-from-origin'].recommendation,
    suggestion: isEnforced ? better : addFrameAncestors(sent, response),
    ...(blocksFrames(headers) && {
      description: 'The header was sent with different values: browsers then block every frame.',
    }),
  };
}
