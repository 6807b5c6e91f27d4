/** Reads what the SPF record of a name states about senders that it does not list (RFC 7208). `include:` and macros are not followed. Pure. */
import { type Prefix, parsePrefix } from '../../core/address.ts';
import { clip } from '../../core/text.ts';
import { doubtOf, type Finding, recordsOf } from './finding.ts';

export type Spf =
  | { readonly kind: 'unknown'; readonly finding: Finding }
  | { readonly kind: 'none' }
  /** Several records: an error for receivers. */
  | { readonly kind: 'several' }
  /** A syntax error anywhere in the record: an error for receivers (RFC 7208 §4.6). */
  | { readonly kind: 'invalid'; readonly problem: string }
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
  const [, ...terms] = text.split(/ +/).filter((term) => term !== '');
  const problem = problemOf(terms);
  if (problem !== null) return { kind: 'invalid', problem };
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

/** The grammar of RFC 7208 §12. No part matches the same text in many ways, so a long hostile record takes no longer than its length. */
const macro = String.raw`%\{[slodiphcrtv]\d*r?[-.+,/_=]*\}|%[%_-]`;
const macroString = `(?:${macro}|[!-$&-~])*`;
/** Ends in a macro or in a label that is not a number, which a dot precedes. */
const domain = String.raw`${macroString}(?:${macro}|\.(?!\d+(?:[./]|$))[a-z\d](?:[a-z\d-]*[a-z\d])?\.?)`;
const length4 = String.raw`(?:\/(?:[12]?\d|3[0-2]))?`;
const length6 = String.raw`(?:\/(?:[1-9]?\d|1[01]\d|12[0-8]))?`;
const mechanism = [
  'all',
  `(?:include|exists):${domain}`,
  `(?:a|mx)(?::${domain})?${length4}(?:/${length6})?`,
  `ptr(?::${domain})?`,
  String.raw`ip4:[\d.]+${length4}`,
  String.raw`ip6:[\da-f:.]+${length6}`,
].join('|');
const modifier = String.raw`(?:redirect|exp)=${domain}|(?!(?:redirect|exp)=)[a-z][\w.-]*=${macroString}`;
const validTerm = new RegExp(`^(?:[-+?~]?(?:${mechanism})|${modifier})$`, 'i');

const isValid = (term: string): boolean => {
  const [, version, block = ''] = /^[-+?~]?ip([46]):(.*)$/i.exec(term) ?? [];
  return validTerm.test(term) && (version === undefined || parsePrefix(block)?.first.version === Number(version));
};

/** The first term with a syntax error, or the modifier that may occur only once (§6); null if the record is valid. */
function problemOf(terms: readonly string[]): string | null {
  const invalid = terms.find((term) => !isValid(term));
  if (invalid !== undefined) return clip(invalid);
  const count = (name: string) => terms.filter((term) => term.toLowerCase().startsWith(`${name}=`)).length;
  const repeated = ['redirect', 'exp'].find((name) => count(name) > 1);
  return repeated === undefined ? null : `${repeated} occurs twice`;
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
