/** Evaluates an SPF record for a sender that it does not list (RFC 7208 §4.6 to §7), from findings of the names that it refers to. Pure. */
import { clip } from '../../core/text.ts';
import { dnsNameOf } from '../dns/name.ts';
import type { DnsRecord } from '../dns/schema.ts';
import { doubtOf, type Finding, recordsOf } from './finding.ts';
import { expandMacros } from './spf-macros.ts';
import { isSpf, type Mechanism, parseSpf, type SpfRecord } from './spf-record.ts';

export interface SpfQuery {
  readonly name: string;
  readonly type: 'TXT' | 'A' | 'AAAA' | 'MX';
}

/** A record of 64 KB takes milliseconds, and is evaluated several times. */
const records = new WeakMap<Finding, ReturnType<typeof readRecord>>();

/** The SPF record among TXT records. */
export function recordIn(finding: Finding): ReturnType<typeof readRecord> {
  const record = records.get(finding) ?? readRecord(finding);
  records.set(finding, record);
  return record;
}

function readRecord(finding: Finding) {
  if (finding.failure !== null) return { kind: 'unknown', finding } as const;
  const [text, ...more] = recordsOf(finding)
    .map(({ data }) => data)
    .filter(isSpf);
  if (more.length > 0) return { kind: 'several' } as const;
  // Another record, which decides or contradicts, may be among those that were not read.
  if (doubtOf(finding) !== null) return { kind: 'unknown', finding } as const;
  if (text === undefined) return { kind: 'none' } as const;
  const record = parseSpf(text);
  return 'problem' in record ? ({ kind: 'invalid', problem: record.problem } as const) : record;
}

type Result = 'pass' | 'fail' | 'softfail' | 'neutral';
type Outcome = { readonly result: Result } | { readonly reason: string } | { readonly redirect: string };

const results: Readonly<Record<Mechanism['qualifier'], Result>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
};

/** Limits of §4.6.4: terms that need a query, terms whose query finds nothing, and MX records of one term. */
const maxLookups = 10;
const maxVoidLookups = 2;
const maxMx = 10;
const limit = '(RFC 7208 §4.6.4)';

/** A record of another name is not read beyond this length, which no DNS response over UDP has: ten of 64 KB would take half a second. */
const maxFollowedLength = 8192;

const isLong = (finding: Finding): boolean => recordsOf(finding).some(({ data }) => data.length > maxFollowedLength);

/** Ends an evaluation. */
class PermanentError extends Error {}

/**
 * One pass over the terms, whose counts all included records share. The sender has an IPv4 address; but what passes every IPv6 address
 * matches too.
 */
export class Evaluation {
  readonly #known: ReadonlyMap<string, Finding>;
  readonly #missing = new Map<string, SpfQuery>();
  #unread: Finding | null = null;
  #dependsOnSender = false;
  #lookups = 0;
  #voidLookups = 0;

  constructor(known: readonly Finding[]) {
    this.#known = new Map(known.map((finding) => [keyOf(finding), finding]));
  }

  run(name: string, record: SpfRecord) {
    const outcome = this.#runToError(name, record);
    const missing = [...this.#missing.values()];
    return { outcome, missing, unread: this.#unread, dependsOnSender: this.#dependsOnSender };
  }

  #runToError(name: string, record: SpfRecord): Outcome {
    try {
      return this.#evaluate(name, record);
    } catch (error) {
      if (error instanceof PermanentError) return { reason: error.message };
      throw error;
    }
  }

  /** `owner`: the name that has the record. */
  #evaluate(owner: string, { mechanisms, allPassAfter, redirect }: SpfRecord): Outcome {
    for (const [at, mechanism] of mechanisms.entries()) {
      if (at + 1 === allPassAfter) return { result: 'pass' };
      if (this.#matches(mechanism, owner)) return { result: results[mechanism.qualifier] };
    }
    return redirect === null ? { result: 'neutral' } : this.#redirect(redirect, owner);
  }

  /** Whether the sender matches, which the record does not list: only what every sender with its IP version matches. */
  #matches(mechanism: Mechanism, owner: string): boolean {
    switch (mechanism.name) {
      case 'all':
        return true;
      case 'ip4':
      case 'ip6':
        return mechanism.matchesAll4;
      case 'ptr':
        this.#dependsOnSender = true;
        this.#countLookup();
        return false;
      case 'include':
        return this.#includes(mechanism.domain ?? '', owner);
      default:
        return this.#finds(mechanism, owner);
    }
  }

  /** `a`, `mx` and `exists`. */
  #finds({ qualifier, name, domain, matchesAll4, matchesAll6 }: Mechanism, owner: string): boolean {
    this.#countLookup();
    const target = domain === null ? owner : this.#targetOf(domain, owner);
    if (target === null) return false;
    const found = this.#find(target, name === 'mx' ? 'MX' : 'A');
    if (found !== null && found.length === 0) this.#countVoidLookup();
    if (name === 'exists') return found !== null && found.length > 0;
    const hosts = name === 'mx' ? this.#hostsOf(found ?? [], target) : [target];
    const hasAny = (type: 'A' | 'AAAA') => hosts.some((host) => (this.#find(host, type) ?? []).length > 0);
    return (matchesAll4 && hasAny('A')) || (matchesAll6 && qualifier === '+' && hasAny('AAAA'));
  }

  #hostsOf(records: readonly DnsRecord[], target: string): readonly string[] {
    if (records.length > maxMx) throw new PermanentError(`${clip(target)} has more than ${maxMx} MX records ${limit}`);
    return records.map(({ mx }) => dnsNameOf(mx?.exchange ?? '.') ?? '.').filter((host) => host !== '.');
  }

  #includes(domain: string, owner: string): boolean {
    this.#countLookup();
    const outcome = this.#follow(domain, owner, 'includes');
    return outcome !== null && 'result' in outcome && outcome.result === 'pass';
  }

  #redirect(value: string, owner: string): Outcome {
    this.#countLookup();
    return this.#follow(value, owner, 'redirects to') ?? { redirect: value };
  }

  /** The outcome of another record; null if that is not known. A record that cannot be used is an error (§5.2, §6.1). */
  #follow(value: string, owner: string, verb: string): Outcome | null {
    const target = this.#targetOf(value, owner);
    if (target === null) return null;
    const finding = this.#findingOf(target, 'TXT');
    if (finding === null) return null;
    if (isLong(finding)) {
      this.#unread ??= finding;
      return null;
    }
    const record = recordIn(finding);
    if ('mechanisms' in record) return this.#evaluate(target, record);
    if (record.kind === 'unknown') {
      this.#unread ??= finding;
      return null;
    }
    const what = {
      none: 'has no SPF record',
      several: 'has several SPF records',
      invalid: 'has an SPF record with a syntax error',
    };
    throw new PermanentError(`it ${verb} ${clip(target)}, which ${what[record.kind]}`);
  }

  /** Null if the records are not known. */
  #find(name: string, type: SpfQuery['type']) {
    const finding = this.#findingOf(name, type);
    if (finding === null) return null;
    if (doubtOf(finding) === null || recordsOf(finding).length > 0) return recordsOf(finding);
    this.#unread ??= finding;
    return null;
  }

  #findingOf(name: string, type: SpfQuery['type']): Finding | null {
    const query = { name, type };
    const finding = this.#known.get(keyOf(query)) ?? null;
    if (finding === null) this.#missing.set(keyOf(query), query);
    return finding;
  }

  #countLookup(): void {
    this.#lookups += 1;
    if (this.#lookups > maxLookups)
      throw new PermanentError(`it needs more than ${maxLookups} lookups of DNS ${limit}`);
  }

  #countVoidLookup(): void {
    this.#voidLookups += 1;
    if (this.#voidLookups > maxVoidLookups)
      throw new PermanentError(`more than ${maxVoidLookups} of its lookups of DNS find nothing ${limit}`);
  }

  /** The name of a term; null if it depends on the sender, or if no query can have it (§4.8). */
  #targetOf(value: string, owner: string): string | null {
    const expanded = expandMacros(value, owner);
    if (expanded === null) this.#dependsOnSender = true;
    return expanded === null ? null : dnsNameOf(expanded);
  }
}

const keyOf = ({ name, type }: Pick<Finding, 'name' | 'type'>): string => `${type} ${name}`;
