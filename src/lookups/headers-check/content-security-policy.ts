/** Content-Security-Policy: from where the page may take scripts, styles and other content (CSP Level 3). */
import type { GradedResponse } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

/** Directive names with what they allow, in lower case. A directive that allows nothing holds `'none'`. */
export type Policy = ReadonlyMap<string, ReadonlySet<string>>;

export interface ContentSecurityPolicy {
  readonly outcome: OutcomeOf<'content-security-policy'>;
  /** What all policies together allow; null where there is none or it cannot be read. */
  readonly policy: Policy | null;
}

interface Source {
  readonly text: string;
  /** Number of the policy that names it. */
  readonly policy: number;
  /** Whether another policy was found to allow it too. */
  readonly shared: boolean;
}

/** More are not compared with each other: each costs a look at all sources so far. */
const maxPolicies = 100;

/** No policy is shorter than this: the shortest directive is `img-src`, and one letter is forgiven. */
const minPolicyLength = 6;

const mayRepeat = new Set(['report-uri', 'report-to']);

/** Sources that allow about every host. */
export const broad: ReadonlySet<string> = new Set([
  '*',
  'http:',
  'https:',
  'ftp:',
  'http://*',
  'https://*',
  'http://*.*',
  'https://*.*',
]);
const broadOrInline = new Set([...broad, "'unsafe-inline'", 'data:']);
const passive = ['img-src', 'media-src'];

/** Outcomes that a repeated report directive takes the place of. */
const forgiven = new Set<OutcomeOf<'content-security-policy'>>([
  'csp-implemented-with-no-unsafe',
  'csp-implemented-with-no-unsafe-default-src-none',
  'csp-implemented-with-unsafe-inline-in-style-src-only',
  'csp-implemented-with-insecure-scheme-in-passive-content-only',
]);

const isInsecure = (source: string): boolean => /^(?:http|ftp):/.test(source);
const isNonceOrHash = (source: string): boolean => /^'(?:nonce|sha256|sha384|sha512)-/.test(source);
const isHostOrScheme = (source: string): boolean => /^(?:https?:|ftp:|\*)/.test(source);

export function contentSecurityPolicy({ finalUrl, headers }: GradedResponse): ContentSecurityPolicy {
  const value = headers['content-security-policy'];
  const parsed = value === undefined ? { directives: new Map(), repeats: false } : parsePolicies(value);
  if (parsed === null) return { outcome: 'csp-header-invalid', policy: null };
  const { directives, repeats } = parsed;
  if (directives.size === 0) {
    const reported = Boolean(headers['content-security-policy-report-only']);
    return { outcome: reported ? 'csp-not-implemented-but-reporting-enabled' : 'csp-not-implemented', policy: null };
  }
  const outcome = judge(directives, finalUrl.startsWith('https:'));
  return {
    outcome: repeats && forgiven.has(outcome) ? 'csp-implemented-but-duplicate-directives' : outcome,
    policy: directives,
  };
}

/** The worst that is allowed. Takes out of the sets what browsers ignore beside a nonce or hash. */
function judge(directives: ReadonlyMap<string, Set<string>>, isHttps: boolean): OutcomeOf<'content-security-policy'> {
  const fallback = directives.get('default-src');
  const sourcesOf = (directive: string): Set<string> => directives.get(directive) ?? fallback ?? new Set(['*']);
  const [scripts, styles, objects] = [sourcesOf('script-src'), sourcesOf('style-src'), sourcesOf('object-src')];

  for (const sources of [scripts, styles]) if (some(sources, isNonceOrHash)) sources.delete("'unsafe-inline'");
  if (scripts.has("'strict-dynamic'")) {
    if (!some(scripts, isNonceOrHash)) return 'csp-header-invalid';
    for (const source of scripts) if (isHostOrScheme(source)) scripts.delete(source);
  }

  if (!scripts.isDisjointFrom(broadOrInline) || !objects.isDisjointFrom(broad)) {
    return 'csp-implemented-with-unsafe-inline';
  }
  const active = [...directives].filter(([directive]) => !passive.includes(directive));
  if (isHttps && active.some(([, sources]) => some(sources, isInsecure))) return 'csp-implemented-with-insecure-scheme';
  if (scripts.has("'unsafe-eval'") || styles.has("'unsafe-eval'")) return 'csp-implemented-with-unsafe-eval';
  if (isHttps && passive.some((directive) => some(directives.get(directive) ?? fallback ?? [], isInsecure))) {
    return 'csp-implemented-with-insecure-scheme-in-passive-content-only';
  }
  if (!styles.isDisjointFrom(broadOrInline)) return 'csp-implemented-with-unsafe-inline-in-style-src-only';
  return fallback?.size === 1 && fallback.has("'none'")
    ? 'csp-implemented-with-no-unsafe-default-src-none'
    : 'csp-implemented-with-no-unsafe';
}

const some = (sources: Iterable<string>, is: (source: string) => boolean): boolean => Iterator.from(sources).some(is);

/**
 * The policies of one or more headers as one: what they all allow. Null where one is too short to be a policy or
 * repeats a directive, or where a path cannot be decoded.
 */
function parsePolicies(value: string): { directives: Map<string, Set<string>>; repeats: boolean } | null {
  const combined = new Map<string, readonly Source[]>();
  let repeats = false;
  for (const [policy, entry] of value.split(',', maxPolicies).entries()) {
    const text = entry.trim();
    if (text.length < minPolicyLength) return null;
    const seen = new Set<string>();
    for (const directive of text.split(';')) {
      const [name = '', ...texts] = directive.trim().toLowerCase().split(/\s+/);
      if (name === '') continue;
      if (seen.has(name)) {
        if (!mayRepeat.has(name)) return null;
        repeats = true;
      }
      seen.add(name);
      if (texts.length === 0 && name.endsWith('-src')) texts.push("'none'");
      const fresh = texts.map((text) => ({ text, policy, shared: false }));
      const sources = policy === 0 ? distinct(fresh) : common(combined.get(name) ?? [], fresh);
      if (sources === null) return null;
      combined.set(name, sources);
    }
  }
  const directives = new Map<string, Set<string>>();
  for (const [name, sources] of combined) {
    directives.set(name, new Set(sources.length === 0 ? ["'none'"] : sources.map(({ text }) => text)));
  }
  return { directives, repeats };
}

/** The order in which the Observatory compares neighbours; what it finds depends on it. */
const { compare } = new Intl.Collator('en');
const sorted = (sources: readonly Source[]): Source[] => sources.toSorted((a, b) => compare(a.text, b.text));

/** Leaves out a source that only lengthens the one before it. */
function distinct(sources: readonly Source[]): Source[] {
  return sorted(sources).filter(({ text }, at, all) => {
    const before = all[at - 1];
    return before === undefined || !text.startsWith(before.text);
  });
}

/** Keeps what an earlier and a later policy allow; null for a broken escape in a path. */
function common(earlier: readonly Source[], later: readonly Source[]): Source[] | null {
  const kept: Source[] = [];
  const all = sorted([...earlier, ...later]);
  for (const [at, source] of all.entries()) {
    const before = all[at - 1];
    let { shared } = source;
    if (before !== undefined && before.policy !== source.policy) {
      const within = isWithin(source.text, before.text);
      if (within === null) return null;
      shared ||= within;
    }
    if (shared) kept.push({ ...source, shared });
  }
  return kept;
}

/** Whether a source is another one or, where that ends in a slash, lies below it. Null for a broken escape. */
function isWithin(source: string, outer: string): boolean | null {
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
