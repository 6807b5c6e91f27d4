/** Advice on a Content-Security-Policy: what browsers read in it if the HTTP Observatory reads something else, and a better one. */
import {
  broad,
  type CspOutcome,
  contentSecurityPolicy,
  isNonceOrHash,
  replaceableOutcomes,
} from './content-security-policy.ts';
import { directivesOf, type PolicyDirective, syntaxNotes } from './csp-notes.ts';
import { policyLine } from './data/checks.ts';
import { enforcedOutcome, isInvalidNonceOrHash, policiesOf } from './enforced-policy.ts';
import { outcomes } from './outcomes.ts';
import type { Check, GradedResponse } from './schema.ts';

export type Advice = Partial<Pick<Check, 'description' | 'recommendation' | 'suggestion'>>;

/** The texts of the outcome that fits what browsers enforce, if that is another one than the graded one. */
export function explainPolicy(graded: CspOutcome) {
  return (response: GradedResponse): Advice => {
    const suggested = outcomes[graded].points < 0 ? suggestPolicy(response) : {};
    const enforced = enforcedOutcome(response) ?? graded;
    const isSame =
      graded === 'csp-implemented-but-duplicate-directives' ? replaceableOutcomes.has(enforced) : enforced === graded;
    if (isSame) return suggested;
    const { description, points, recommendation } = outcomes[enforced];
    return {
      ...(points < outcomes[graded].points ? { recommendation, ...suggestPolicy(response) } : suggested),
      description: `Unlike the HTTP Observatory, browsers ${differenceOf(response)}. ${description}`,
    };
  };
}

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

export function explainInvalidPolicy(response: GradedResponse): Advice {
  const { problem } = contentSecurityPolicy(response);
  const isEmpty = policiesOf(response.headers['content-security-policy'] ?? '').length === 0;
  return {
    description: isEmpty
      ? 'The header contains no policy, so it restricts nothing.'
      : `${problem}, but the HTTP Observatory counts the policy as invalid.`,
  };
}

const framing =
  'Browsers obey frame-ancestors in the Content-Security-Policy, which the HTTP Observatory does not read because the policy is invalid.';

/** frame-ancestors replaces X-Frame-Options in browsers (HTML §7.4.5), also in a policy that the grade does not read. */
export const explainFraming =
  (advise: (response: GradedResponse) => Advice = () => ({})) =>
  (response: GradedResponse): Advice => {
    const directives = directivesOf(response.headers['content-security-policy'] ?? '');
    const isObeyed = directives.some(({ name }) => name === 'frame-ancestors');
    return { ...advise(response), ...(isObeyed && { description: framing }) };
  };

const maxPolicyLength = 2000;

/** A policy that is longer, or a list of policies, is replaced by the recommended one. */
const isFixable = (policy: string): boolean => policy.length <= maxPolicyLength && !policy.includes(',');

const formatPolicy = (directives: readonly PolicyDirective[]): string =>
  directives.map(({ name, sources }) => [name, ...sources].join(' ')).join('; ');

/** A nonce is new in each response: whoever sends one again permits every script that repeats it. */
const suggestedLine = (policy: string): string =>
  `Content-Security-Policy: ${policy.replace(/'nonce-[^' ]*'/gi, "'nonce-…'")}`;

/** The policy as sent without its unsafe sources, or the recommended policy if that is not enough or it has mistakes. */
export function suggestPolicy({ finalUrl, headers, ...response }: GradedResponse): Advice {
  const value = headers['content-security-policy'] ?? headers['content-security-policy-report-only'] ?? '';
  if (!isFixable(value) || syntaxNotes(value).some(({ level }) => level === 'warning'))
    return { suggestion: policyLine };
  const text = formatPolicy(removeUnsafeSources(directivesOf(value)));
  const changed = {
    ...response,
    finalUrl: finalUrl.replace(/^http:/, 'https:'),
    headers: { 'content-security-policy': text },
  };
  const found = [contentSecurityPolicy(changed).outcome, enforcedOutcome(changed)];
  const isFixed = found.every((outcome) => outcome !== null && outcomes[outcome].points >= 0);
  return { suggestion: isFixed ? suggestedLine(text) : policyLine };
}

function removeUnsafeSources(directives: readonly PolicyDirective[]): readonly PolicyDirective[] {
  const secured = directives.map(({ name, sources }) => ({
    name,
    sources: sources
      .filter((source) => source.toLowerCase() !== "'unsafe-eval'")
      .map((source) => source.replace(/^http:(?=\/\/|$)/i, 'https:')),
  }));
  const find = (name: string) => secured.find((directive) => directive.name === name)?.sources;
  const fallback = find('default-src');
  const replaced = new Map([
    ['script-src', restrictScripts(find('script-src') ?? fallback ?? [])],
    ['object-src', ["'none'"]],
  ]);
  const elements = find('script-src-elem');
  if (elements !== undefined) replaced.set('script-src-elem', restrictScripts(elements));
  if (find('script-src-attr')?.some(isUnsafeForScripts)) replaced.set('script-src-attr', ["'none'"]);
  // A plugin directive that allows little can stay, and default-src 'none' covers both.
  const objects = find('object-src') ?? fallback ?? ['*'];
  if (!objects.some((source) => broad.has(source.toLowerCase()))) replaced.delete('object-src');
  if (find('script-src') === undefined && fallback !== undefined && !fallback.some(isUnsafeForScripts))
    replaced.delete('script-src');
  return [
    ...secured.map(({ name, sources }) => ({ name, sources: replaced.get(name) ?? sources })),
    ...[...replaced].filter(([name]) => find(name) === undefined).map(([name, sources]) => ({ name, sources })),
  ];
}

const isUnsafeForScripts = (source: string): boolean =>
  /^(?:'unsafe-inline'|'strict-dynamic'|data:)$/i.test(source) || broad.has(source.toLowerCase());

/** Next to a nonce or hash, browsers ignore 'unsafe-inline' and need it for 'strict-dynamic'. */
function restrictScripts(sources: readonly string[]): string[] {
  const hasNonce = sources.some(isNonceOrHash);
  const kept = sources.filter(
    (source) => !isUnsafeForScripts(source) || (hasNonce && /^'(?:unsafe-inline|strict-dynamic)'$/i.test(source)),
  );
  return kept.length === 0 ? ["'self'"] : kept;
}

/** The origin of ALLOW-FROM in the directive that replaces it, added to the policy. */
export function suggestFrameAncestors({ headers }: GradedResponse): Advice {
  const [origin = "'self'"] = /\bhttps?:\/\/[\w.:[\]-]+/i.exec(headers['x-frame-options'] ?? '') ?? [];
  const policy = headers['content-security-policy'] ?? '';
  // Of equal directives, browsers honor the first.
  const directives = (isFixable(policy) ? directivesOf(policy) : []).filter(
    ({ name }, at, all) => name !== 'frame-ancestors' && all.findIndex((each) => each.name === name) === at,
  );
  const text = formatPolicy([...directives, { name: 'frame-ancestors', sources: [origin] }]);
  return { suggestion: suggestedLine(text) };
}
