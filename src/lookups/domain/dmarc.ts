/** The DMARC policy of a name, by the tree walk of RFC 9989 (which obsoletes RFC 7489): no Public Suffix List. Pure. */
import { type Finding, recordsOf } from './finding.ts';

const prefix = '_dmarc.';
/** Longer names continue with as many labels, so that there are at most eight queries. */
const walkLabels = 7;

/** The names to query, from that of the domain up to its top-level domain. */
export function dmarcNames(name: string): readonly string[] {
  const labels = name === '.' ? [] : name.split('.');
  const parents = labels.slice(labels.length > walkLabels + 1 ? -walkLabels : 1);
  const above = parents.map((_, at) => parents.slice(at).join('.'));
  return [name, ...above].map((each) => `${prefix}${each}`);
}

/** From strong to weak. */
const policies = ['reject', 'quarantine', 'none'] as const;
export type DmarcPolicy = (typeof policies)[number];

interface DmarcRecord {
  readonly tags: ReadonlyMap<string, string>;
  /** Whether `p` is missing or not valid, or `sp` or `np` not valid: then the record counts as `p=none`, and only with a valid `rua`. */
  readonly isInvalid: boolean;
}

/** The name whose records receivers ignore: because there are several, the only one has no valid policy, or does not begin as it has to. */
interface IgnoredRecords {
  readonly name: string;
  readonly problem: 'several' | 'policy' | 'version';
}

export type Dmarc =
  /** `finding`: the query that failed, or has not all records. */
  | { readonly kind: 'unknown'; readonly finding: Finding }
  | { readonly kind: 'none'; readonly ignored: IgnoredRecords | null }
  | {
      readonly kind: 'policy';
      /** The name that has the record. */
      readonly name: string;
      /** The tag that states the policy; null if the record is not valid. */
      readonly tag: 'p' | 'sp' | 'np' | null;
      /** The policy for receivers, weakened by one step if `t` requests a test. */
      readonly policy: DmarcPolicy;
      /** What the tag states. */
      readonly stated: DmarcPolicy;
      readonly isTesting: boolean;
      readonly isInherited: boolean;
      /** Whether the record names an address for reports. */
      readonly isReported: boolean;
      /** Percentage below 100 of the removed tag `pct`, which older receivers apply; null without one. */
      readonly pct: number | null;
      readonly ignored: IgnoredRecords | null;
    };

/** The version is exact, with white space only around its equals sign (RFC 9989 §4.8). */
const version = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;

/** RFC 9989 defines 12 tags. A hostile record can have 32,000, and is parsed several times. */
const maxTags = 100;

/** Null for a text that is no DMARC record. Unknown tags are kept, and never read; those after `maxTags` are left out. */
export function parseDmarc(text: string): DmarcRecord | null {
  if (!version.test(text)) return null;
  const tags = new Map<string, string>();
  for (const part of text.split(';', maxTags + 1).slice(1)) {
    const [left = '', ...rest] = part.split('=');
    const name = left.trim().toLowerCase();
    // A pattern for the whole part takes seconds for 32 KB of spaces.
    if (/^[a-z]+$/.test(name) && rest.length > 0 && !tags.has(name)) tags.set(name, rest.join('=').trim());
  }
  const isPolicy = (tag: string, ifAbsent: boolean): boolean =>
    tags.has(tag) ? policyOf(tags.get(tag)) !== null : ifAbsent;
  return { tags, isInvalid: !isPolicy('p', false) || !isPolicy('sp', true) || !isPolicy('np', true) };
}

/** Whether a text is meant as a DMARC record, which receivers do not recognize. */
const isMisspelled = (text: string): boolean => /^[\s"'\\]*v\s*=\s*dmarc/i.test(text) && !version.test(text);

const policyOf = (value: string | undefined): DmarcPolicy | null =>
  policies.find((policy) => policy === value?.toLowerCase()) ?? null;

/** `rua` is for aggregate reports, `ruf` for those about single messages (RFC 9989 §4.7). */
const hasReportAddress = ({ tags }: DmarcRecord, tag: 'rua' | 'ruf' = 'rua'): boolean =>
  (tags.get(tag) ?? '').split(',').some((uri) => /^\s*mailto:[^\s@,]+@[^\s@,]+\s*$/i.test(uri));

/** The only DMARC record of a name; null if there is none. `several`: they are all ignored. */
function recordAt(finding: Finding): { record: DmarcRecord | null; several: boolean } {
  const found = recordsOf(finding)
    .map(({ data }) => parseDmarc(data))
    .filter((record) => record !== null);
  return { record: found.length === 1 ? (found[0] ?? null) : null, several: found.length > 1 };
}

/** Whether the query failed, or the answer omits records: one of them may be the only DMARC record, or contradict it. */
const isUnknown = (finding: Finding): boolean =>
  finding.failure !== null || (finding.omitted > 0 && !recordAt(finding).several);

export const hasDmarc = (finding: Finding): boolean => recordAt(finding).record !== null;

/** `findings`: of `dmarcNames` in order, up to the first if that has a record. `exists`: whether the domain does. */
export function dmarcOf(findings: readonly Finding[], exists: boolean): Dmarc {
  const [own] = findings;
  if (own === undefined) return { kind: 'none', ignored: null };
  if (isUnknown(own)) return { kind: 'unknown', finding: own };
  const several = findings.find((finding) => recordAt(finding).several);
  const unrecognized = findings.find((finding) => recordsOf(finding).some(({ data }) => isMisspelled(data)));
  const ignored: IgnoredRecords | null =
    several !== undefined
      ? { name: several.name, problem: 'several' }
      : unrecognized !== undefined
        ? { name: unrecognized.name, problem: 'version' }
        : null;
  const { record } = recordAt(own);
  if (record !== null) return policyAt(own, record, { tags: ['p'], isInherited: false, ignored });
  const walked = walk(findings);
  if (walked === null) return { kind: 'none', ignored };
  if ('failed' in walked) return { kind: 'unknown', finding: walked.failed };
  const inherited = recordAt(walked.found).record;
  if (inherited === null) return { kind: 'none', ignored };
  const tags = exists ? (['sp', 'p'] as const) : (['np', 'sp', 'p'] as const);
  return policyAt(walked.found, inherited, { tags, isInherited: true, ignored });
}

/**
 * Finds the record of the organizational domain, else of the public suffix (RFC 9989 §4.10): the name with `psd=n`, the one below a name
 * with `psd=y`, or the shortest name with a record. Null if there is none.
 */
function walk(findings: readonly Finding[]): { readonly found: Finding } | { readonly failed: Finding } | null {
  let shortest: Finding | null = null;
  for (const [at, finding] of findings.entries()) {
    if (isUnknown(finding)) return { failed: finding };
    const { record } = recordAt(finding);
    if (record === null) continue;
    const psd = record.tags.get('psd')?.toLowerCase();
    if (psd === 'n') return { found: finding };
    if (psd === 'y') {
      const below = findings[at - 1];
      return { found: below !== undefined && hasDmarc(below) ? below : finding };
    }
    shortest = finding;
  }
  return shortest && { found: shortest };
}

interface PolicySource {
  /** Tags in order of preference. */
  readonly tags: readonly ('p' | 'sp' | 'np')[];
  readonly isInherited: boolean;
  readonly ignored: IgnoredRecords | null;
}

function policyAt({ name }: Finding, record: DmarcRecord, { tags, isInherited, ignored }: PolicySource): Dmarc {
  if (record.isInvalid && !hasReportAddress(record)) return { kind: 'none', ignored: { name, problem: 'policy' } };
  const tag = record.isInvalid ? null : (tags.find((each) => record.tags.has(each)) ?? null);
  const stated = (tag === null ? null : policyOf(record.tags.get(tag))) ?? 'none';
  const isTesting = record.tags.get('t')?.toLowerCase() === 'y';
  const policy = isTesting ? (policies[policies.indexOf(stated) + 1] ?? 'none') : stated;
  const pct = /^\d{1,3}$/.test(record.tags.get('pct') ?? '') ? Number(record.tags.get('pct')) : 100;
  return {
    kind: 'policy',
    name,
    tag,
    policy,
    stated,
    isTesting,
    isInherited,
    isReported: hasReportAddress(record) || hasReportAddress(record, 'ruf'),
    pct: pct < 100 ? pct : null,
    ignored,
  };
}
