/** What browsers enforce of a Content-Security-Policy (CSP Level 3): the HTTP Observatory, which the grade follows, reads some policies differently. */

import type { GradedResponse } from '../schema.ts';
import {
  type CspOutcome,
  isNonceOrHash,
  isWithin,
  type Policy,
  some,
  worstOutcome,
} from './content-security-policy.ts';

type Sources = ReadonlySet<string>;

/** More names and sources of several policies are not compared. */
const maxCompared = 250;

/** Browsers ignore a nonce or hash that is not base64 (CSP3 §2.3.1). */
export const isInvalidNonceOrHash = (source: string): boolean =>
  isNonceOrHash(source) && !/^'[a-z\d]+-[a-z\d+/_-]+={0,2}'$/i.test(source);

/** The policies of a header without sources that browsers ignore. Of equal directives, the first counts (CSP3 §2.2.1). */
export function policiesOf(header: string): readonly Policy[] {
  const policies = header.split(',').map((text): Policy => {
    const policy = new Map<string, Sources>();
    for (const directive of text.toLowerCase().split(';')) {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      if (name !== '' && !policy.has(name))
        policy.set(name, toSources(sources.filter((source) => !isInvalidNonceOrHash(source))));
    }
    return policy;
  });
  return policies.filter(({ size }) => size > 0);
}

const toSources = (sources: readonly string[]): Sources => new Set(sources.length === 0 ? ["'none'"] : sources);

/** The sources of a directive that every policy allows; undefined if none restricts it. */
type Combine = (name: string) => Sources | undefined;

/** What all policies of a header allow together; null if that is too long to be compared. */
function combinePolicies(header: string): { readonly policy: Policy; readonly combine: Combine } | null {
  const policies = policiesOf(header);
  const directives = policies.flatMap((policy) => [...policy]);
  if (policies.length > 1 && directives.reduce((sum, [, { size }]) => sum + size + 1, 0) > maxCompared) return null;
  const intersectOnce = createIntersect();
  const combine: Combine = (name) => {
    const [first, ...others] = policies
      .map((policy) => effectiveSources(policy, name))
      .filter((sources) => sources !== undefined);
    return others.reduce((common, sources) => common && intersectOnce(common, sources), first);
  };
  return { policy: new Map(directives.map(([name]) => [name, combine(name) ?? new Set()])), combine };
}

/** By the names of all directives; null if the policies are too long to be compared. */
export const enforcedPolicy = (header: string): Policy | null => combinePolicies(header)?.policy ?? null;

/** The outcome that fits what browsers enforce; null if that is not known. */
export function enforcedOutcome({ finalUrl, headers }: GradedResponse): CspOutcome | null {
  const combined = combinePolicies(headers['content-security-policy'] ?? '');
  if (combined === null || combined.policy.size === 0) return null;
  const directives = new Map(combined.policy);
  for (const kind of ['script-src', 'style-src']) {
    const sources = mergeKind(kind, combined.combine);
    if (sources !== null) directives.set(kind, sources);
    for (const part of ['elem', 'attr']) directives.delete(`${kind}-${part}`);
  }
  return worstOutcome(directives, finalUrl.startsWith('https:'));
}

/** Elements, attributes and eval have directives of their own; null if nothing restricts elements and attributes. */
function mergeKind(kind: string, combine: Combine): Sources | null {
  const elements = combine(`${kind}-elem`);
  const attributes = combine(`${kind}-attr`);
  if (elements === undefined && attributes === undefined) return null;
  return toSources([
    ...[...(elements ?? ['*'])].filter((source) => source !== "'unsafe-eval'"),
    ...[...(attributes ?? ["'unsafe-inline'"])].filter((source) => source === "'unsafe-inline'"),
    ...[...(combine(kind) ?? [])].filter((source) => source === "'unsafe-eval'"),
  ]);
}

/** The directive whose place an absent one takes (CSP3 §6.8.3); for all other fetch directives, `default-src`. */
const substitutes: ReadonlyMap<string, string> = new Map([
  ['script-src-elem', 'script-src'],
  ['script-src-attr', 'script-src'],
  ['style-src-elem', 'style-src'],
  ['style-src-attr', 'style-src'],
  ['frame-src', 'child-src'],
  ['worker-src', 'child-src'],
]);

function ownOrSubstitute(policy: Policy, name: string): Sources | undefined {
  const own = policy.get(name);
  if (own !== undefined || name === 'default-src' || !/-src(?:-elem|-attr)?$/.test(name)) return own;
  return ownOrSubstitute(policy, substitutes.get(name) ?? 'default-src');
}

/** Next to a nonce or hash, browsers ignore 'unsafe-inline'; with 'strict-dynamic', also hosts and schemes of scripts (CSP3 §6.7.3.2, §6.7.1.1). */
function effectiveSources(policy: Policy, name: string): Sources | undefined {
  const sources = ownOrSubstitute(policy, name);
  if (sources === undefined || !/^(?:script|style)-src/.test(name)) return sources;
  const isDynamic = name.startsWith('script') && sources.has("'strict-dynamic'");
  const isStrict = isDynamic || some(sources, isNonceOrHash);
  const isIgnored = (source: string): boolean =>
    (isStrict && source === "'unsafe-inline'") || (isDynamic && (source === "'self'" || !source.startsWith("'")));
  return toSources([...sources].filter((source) => !isIgnored(source)));
}

/** Lists that apply to several directives, such as that of `default-src`, are compared once. */
function createIntersect() {
  const known = new Map<Sources, Map<Sources, Sources>>();
  return (one: Sources, other: Sources): Sources => {
    const results = known.get(one) ?? new Map<Sources, Sources>();
    const result = results.get(other) ?? intersect(one, other);
    known.set(one, results.set(other, result));
    return result;
  };
}

function intersect(one: Sources, other: Sources): Sources {
  const isIn = (sources: Sources) => (source: string) =>
    sources.has(source) || some(sources, (each) => contains(each, source));
  return toSources([...[...one].filter(isIn(other)), ...[...other].filter(isIn(one))]);
}

/** Whether a source allows all that another one does: `*` and schemes contain hosts, a folder contains its files. */
function contains(outer: string, source: string): boolean {
  const [, scheme] = /^([a-z][a-z\d+.-]*:)(?:\/\/\*(?:\.\*)?)?$/.exec(outer) ?? [];
  const isNetwork = source === "'self'" || !/^(?:'|(?!(?:https?|wss?|ftp):)[a-z][a-z\d+.-]*:(?!\d|\*))/.test(source);
  if (outer === '*') return isNetwork;
  if (scheme === undefined) return isWithin(source, outer) === true;
  if (source.startsWith(scheme) || (scheme === 'http:' && source.startsWith('https:'))) return true;
  return /^https?:$/.test(scheme) && isNetwork && !/^(?:https?|wss?|ftp):/.test(source);
}
