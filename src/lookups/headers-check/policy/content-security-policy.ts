/** Content-Security-Policy: the allowed sources of scripts, styles and other content (CSP Level 3). */

import { formatNames } from '../note.ts';
import type { OutcomeOf } from '../outcomes.ts';
import type { GradedResponse } from '../schema.ts';

/** Directive names with their sources, in lower case. A directive that allows nothing has the source `'none'`. */
export type Policy = ReadonlyMap<string, ReadonlySet<string>>;

export type CspOutcome = OutcomeOf<'content-security-policy'>;

interface Source {
  readonly text: string;
  /** Index of the policy that contains it. */
  readonly policy: number;
  /** Whether another policy allows it too. */
  readonly isCommon: boolean;
}

/** Further policies are ignored: each is compared with all earlier sources. */
const maxPolicies = 100;

/** No policy is shorter: the shortest directive is `img-src`; the Observatory accepts one letter less. */
const minPolicyLength = 6;

const mayRepeat = new Set(['report-uri', 'report-to']);

/** Sources that allow almost every host. */
export const broad = new Set(['*', 'http:', 'https:', 'ftp:', 'http://*', 'https://*', 'http://*.*', 'https://*.*']);
const broadOrInline = new Set([...broad, "'unsafe-inline'", 'data:']);
const passive = ['img-src', 'media-src'];

/** Outcomes that become `csp-implemented-but-duplicate-directives` if a report directive is repeated. */
export const replaceableOutcomes = new Set<CspOutcome>([
  'csp-implemented-with-no-unsafe',
  'csp-implemented-with-no-unsafe-default-src-none',
  'csp-implemented-with-unsafe-inline-in-style-src-only',
  'csp-implemented-with-insecure-scheme-in-passive-content-only',
]);

const isInsecure = (source: string): boolean => /^(?:http|ftp):/.test(source);
export const isNonceOrHash = (source: string): boolean => /^'(?:nonce|sha256|sha384|sha512)-/i.test(source);
const isHostOrScheme = (source: string): boolean => /^(?:https?:|ftp:|\*)/.test(source);

interface GradedPolicy {
  readonly outcome: CspOutcome;
  /** The combination of all policies; null if there is none or it is invalid. */
  readonly policy: Policy | null;
  /** Why it is invalid, and what browsers do; null if it is valid. */
  readonly problem: string | null;
}

const isolated =
  "'strict-dynamic' has no nonce or hash beside it: browsers ignore all hosts of scripts beside it, and apply the rest";

export function contentSecurityPolicy(response: GradedResponse): GradedPolicy {
  const { finalUrl, headers } = response;
  const value = headers['content-security-policy'];
  const parsed = value === undefined ? { directives: new Map(), repeats: false } : parsePolicies(value);
  if (typeof parsed === 'string') return { outcome: 'csp-header-invalid', policy: null, problem: parsed };
  const { directives, repeats } = parsed;
  if (directives.size === 0) {
    const reported = Boolean(headers['content-security-policy-report-only']);
    const outcome = reported ? 'csp-not-implemented-but-reporting-enabled' : 'csp-not-implemented';
    return { outcome, policy: null, problem: null };
  }
  const outcome = evaluate(directives, finalUrl.startsWith('https:'));
  return {
    outcome: repeats && replaceableOutcomes.has(outcome) ? 'csp-implemented-but-duplicate-directives' : outcome,
    policy: directives,
    problem: outcome === 'csp-header-invalid' ? isolated : null,
  };
}

/** The outcome of the combined policy. Removes sources that browsers ignore next to a nonce or hash. */
function evaluate(directives: ReadonlyMap<string, Set<string>>, isHttps: boolean): CspOutcome {
  const sourcesOf = (directive: string): Set<string> =>
    directives.get(directive) ?? directives.get('default-src') ?? new Set();
  const scripts = sourcesOf('script-src');
  for (const sources of [scripts, sourcesOf('style-src')])
    if (some(sources, isNonceOrHash)) sources.delete("'unsafe-inline'");
  if (scripts.has("'strict-dynamic'")) {
    if (!some(scripts, isNonceOrHash)) return 'csp-header-invalid';
    for (const source of scripts) if (isHostOrScheme(source)) scripts.delete(source);
  }
  return worstOutcome(directives, isHttps);
}

/** The worst outcome of a policy whose sources all have an effect. */
export function worstOutcome(directives: Policy, isHttps: boolean): CspOutcome {
  const fallback = directives.get('default-src');
  const sourcesOf = (directive: string) => directives.get(directive) ?? fallback ?? new Set(['*']);
  const scripts = sourcesOf('script-src');
  const styles = sourcesOf('style-src');
  const objects = sourcesOf('object-src');
  if (haveOneOf(scripts, broadOrInline) || haveOneOf(objects, broad)) {
    return 'csp-implemented-with-unsafe-inline';
  }
  const active = [...directives].filter(([directive]) => !passive.includes(directive));
  if (isHttps && active.some(([, sources]) => some(sources, isInsecure))) return 'csp-implemented-with-insecure-scheme';
  if (scripts.has("'unsafe-eval'") || styles.has("'unsafe-eval'")) return 'csp-implemented-with-unsafe-eval';
  if (isHttps && passive.some((directive) => some(directives.get(directive) ?? fallback ?? [], isInsecure))) {
    return 'csp-implemented-with-insecure-scheme-in-passive-content-only';
  }
  if (haveOneOf(styles, broadOrInline)) return 'csp-implemented-with-unsafe-inline-in-style-src-only';
  return fallback?.size === 1 && fallback.has("'none'")
    ? 'csp-implemented-with-no-unsafe-default-src-none'
    : 'csp-implemented-with-no-unsafe';
}

export const some = (sources: Iterable<string>, is: (source: string) => boolean): boolean => [...sources].some(is);

export const haveOneOf = (sources: Iterable<string>, searched: ReadonlySet<string>): boolean =>
  some(sources, (source) => searched.has(source));

/**
 * Combines the policies of one or more headers into the sources that all of them allow. A problem if one is too short to be
 * a policy or repeats a directive, or if a path cannot be decoded.
 */
function parsePolicies(value: string): { directives: Map<string, Set<string>>; repeats: boolean } | string {
  const combined = new Map<string, readonly Source[]>();
  let repeats = false;
  for (const [policy, entry] of value.split(',', maxPolicies).entries()) {
    const text = entry.trim();
    if (text === '') return 'A comma too many makes an empty policy: browsers skip it, and apply the rest';
    if (text.length < minPolicyLength)
      return `A policy has fewer than ${minPolicyLength} characters: browsers apply what they know of it`;
    const seen = new Set<string>();
    for (const directive of text.split(';')) {
      const [name = '', ...texts] = directive.trim().toLowerCase().split(/\s+/);
      if (name === '') continue;
      if (seen.has(name)) {
        if (!mayRepeat.has(name))
          return `${formatNames([name])} occurs twice: browsers honor the first, and apply the rest of the policy`;
        repeats = true;
      }
      seen.add(name);
      if (texts.length === 0 && name.endsWith('-src')) texts.push("'none'");
      const fresh = texts.map((text) => ({ text, policy, isCommon: false }));
      const sources = policy === 0 ? removeExtensions(fresh) : intersect(combined.get(name) ?? [], fresh);
      if (sources === null) return 'A path contains an invalid escape: browsers apply the policies all the same';
      combined.set(name, sources);
    }
  }
  const textSetOf = (sources: readonly Source[]): Set<string> =>
    new Set(sources.length === 0 ? ["'none'"] : sources.map(({ text }) => text));
  return { directives: new Map([...combined].map(([name, sources]) => [name, textSetOf(sources)])), repeats };
}

/** The Observatory compares neighbors in this order, so its result depends on the order. */
const { compare } = new Intl.Collator('en');
const sortSources = (sources: readonly Source[]): Source[] => sources.toSorted((a, b) => compare(a.text, b.text));

/** Removes a source that starts with the previous source. */
function removeExtensions(sources: readonly Source[]): Source[] {
  return sortSources(sources).filter(({ text }, at, all) => {
    const before = all[at - 1];
    return before === undefined || !text.startsWith(before.text);
  });
}

/** Keeps the sources that both an earlier and a later policy allow; null for an invalid escape in a path. */
function intersect(earlier: readonly Source[], later: readonly Source[]): Source[] | null {
  const kept: Source[] = [];
  const all = sortSources([...earlier, ...later]);
  for (const [at, source] of all.entries()) {
    const before = all[at - 1];
    let { isCommon } = source;
    if (before !== undefined && before.policy !== source.policy) {
      const within = isWithin(source.text, before.text);
      if (within === null) return null;
      isCommon ||= within;
    }
    if (isCommon) kept.push({ ...source, isCommon });
  }
  return kept;
}

/** Whether a source equals another or, if that ends in a slash, is below it. Null for an invalid escape. */
export function isWithin(source: string, outer: string): boolean | null {
  const below = outer.endsWith('/');
  const pieces = source.split('/');
  const outerPieces = outer.split('/');
  if (below ? outerPieces.length > pieces.length : outerPieces.length !== pieces.length) return false;
  if (below) outerPieces.pop();
  try {
    return outerPieces.every((piece, at) => decodeURIComponent(piece) === decodeURIComponent(pieces[at] ?? ''));
  } catch {
    return null;
  }
}
