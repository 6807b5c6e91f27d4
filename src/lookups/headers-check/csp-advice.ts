/** Header lines with a Content-Security-Policy that improve the one of a response. */
import { broad, contentSecurityPolicy, isNonceOrHash } from './content-security-policy.ts';
import { directivesOf, type PolicyDirective, syntaxNotes } from './csp-notes.ts';
import { policyLine } from './data/checks.ts';
import { outcomes } from './outcomes.ts';
import type { Check, GradedResponse } from './schema.ts';

export type Advice = Partial<Pick<Check, 'description' | 'recommendation' | 'suggestion'>>;

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
  const { outcome } = contentSecurityPolicy({
    ...response,
    finalUrl: finalUrl.replace(/^http:/, 'https:'),
    headers: { 'content-security-policy': text },
  });
  return { suggestion: outcomes[outcome].points >= 0 ? suggestedLine(text) : policyLine };
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
  const directives = isFixable(policy) ? directivesOf(policy) : [];
  const text = formatPolicy([...directives, { name: 'frame-ancestors', sources: [origin] }]);
  return { suggestion: suggestedLine(text) };
}
