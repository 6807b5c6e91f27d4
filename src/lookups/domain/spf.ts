/** Reads what the SPF record of a name states about senders that it does not list (RFC 7208). `include:` and macros are not followed. Pure. */
import { type Prefix, parsePrefix } from '../../core/address.ts';
import { doubtOf, type Finding, recordsOf } from './finding.ts';

export type Spf =
  | { readonly kind: 'unknown'; readonly finding: Finding }
  | { readonly kind: 'none' }
  /** Several records: an error for receivers. */
  | { readonly kind: 'several' }
  /** Every address passes. */
  | { readonly kind: 'open' }
  /** The result for other senders: `fail`, `softfail` or `neutral`. */
  | { readonly kind: 'fail' | 'softfail' | 'neutral' }
  /** The record of another name decides. */
  | { readonly kind: 'redirect'; readonly name: string };

export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text);

const results = { '+': 'open', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;

/** `finding`: the TXT records of the name. */
export function spfOf(finding: Finding): Spf {
  if (finding.failure !== null) return { kind: 'unknown', finding };
  const [text, ...more] = recordsOf(finding)
    .map(({ data }) => data)
    .filter(isSpf);
  if (more.length > 0) return { kind: 'several' };
  // Another record, which decides or contradicts, may be among those that were not read.
  if (doubtOf(finding) !== null) return { kind: 'unknown', finding };
  if (text === undefined) return { kind: 'none' };
  const terms = text.split(/ +/).slice(1);
  const end = terms.findIndex((term) => /^[+~?-]?all$/i.test(term));
  const mechanisms = end === -1 ? terms : terms.slice(0, end);
  if (coversAll(mechanisms, 4) || coversAll(mechanisms, 6)) return { kind: 'open' };
  if (end !== -1) {
    const [qualifier = ''] = terms[end] ?? '';
    return { kind: Object.hasOwn(results, qualifier) ? results[qualifier as keyof typeof results] : 'open' };
  }
  const redirect = terms.find((term) => /^redirect=/i.test(term));
  return redirect === undefined ? { kind: 'neutral' } : { kind: 'redirect', name: redirect.slice('redirect='.length) };
}

/** Whether the blocks that pass contain every address of the version. */
function coversAll(mechanisms: readonly string[], version: 4 | 6): boolean {
  const name = version === 4 ? 'ip4:' : 'ip6:';
  const blocks = mechanisms
    .map((term) => term.toLowerCase().replace(/^\+/, ''))
    .filter((term) => term.startsWith(name))
    .map((term) => parsePrefix(term.slice(name.length)))
    .filter((prefix): prefix is Prefix => prefix?.first.version === version)
    .toSorted((a, b) => (a.first.bits < b.first.bits ? -1 : 1));
  let next = 0n;
  const width = version === 4 ? 32 : 128;
  for (const { first, length } of blocks) {
    if (first.bits > next) return false;
    const after = first.bits + (1n << BigInt(width - length));
    if (after > next) next = after;
  }
  return next === 1n << BigInt(width);
}
