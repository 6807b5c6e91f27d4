/** Parses an SPF record by the grammar of RFC 7208 §12. Pure. */
import { type Prefix, parsePrefix } from '../../core/address.ts';
import { clip } from '../../core/text.ts';

type Qualifier = '+' | '-' | '~' | '?';

export interface Mechanism {
  readonly qualifier: Qualifier;
  readonly name: 'all' | 'include' | 'exists' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6';
  /** A domain that may contain macros; null for none. */
  readonly domain: string | null;
  /** The addresses of `ip4` or `ip6`; null for all others. */
  readonly block: Prefix | null;
  /** Whether its prefix has the length 0, so that every address of the version matches. */
  readonly matchesAll4: boolean;
  readonly matchesAll6: boolean;
}

export interface SpfRecord {
  /** Up to the first `all`: nothing behind it has an effect. */
  readonly mechanisms: readonly Mechanism[];
  /** The number of mechanisms after which the blocks that pass contain every address of a version; Infinity if they never do. */
  readonly allPassAfter: number;
  /** The domain of `redirect`, which counts only without `all`; null for none. */
  readonly redirect: string | null;
}

export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text);

/** In a target, `c`, `r` and `t` are not allowed: they are for the text of an explanation (§7.2). A number of parts is not 0. */
const macro = String.raw`%\{[slodiphv](?:0*[1-9]\d*)?r?[-.+,/_=]*\}|%[%_-]`;
const anyMacro = String.raw`%\{[slodiphcrtv]\d*r?[-.+,/_=]*\}|%[%_-]`;
const literal = '[!-$&-~]';
// No part matches the same text in many ways, so a long hostile record takes no longer than its length.
const macroString = `(?:${macro}|${literal})*`;
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
const modifier = String.raw`(?:redirect|exp)=${domain}|(?!(?:redirect|exp)=)[a-z][\w.-]*=(?:${anyMacro}|${literal})*`;
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

const mechanismPattern =
  /^(?<qualifier>[-+?~]?)(?<name>all|include|exists|a|mx|ptr|ip4|ip6)(?::(?<value>.+?))?(?<length4>\/\d{1,2})?(?:\/(?<length6>\/\d{1,3}))?$/i;

function mechanismOf(term: string): Mechanism | null {
  const groups = mechanismPattern.exec(term)?.groups;
  if (groups === undefined) return null;
  const name = groups.name?.toLowerCase() as Mechanism['name'];
  const isBlock = name === 'ip4' || name === 'ip6';
  return {
    qualifier: (groups.qualifier || '+') as Qualifier,
    name,
    domain: isBlock ? null : (groups.value ?? null),
    block: isBlock ? parsePrefix(term.slice(term.indexOf(':') + 1)) : null,
    matchesAll4: name !== 'ip6' && groups.length4 === '/0',
    matchesAll6: !isBlock && groups.length6 === '/0',
  };
}

/** An octet that is not visible ASCII, as `printable` writes it; a backslash is written twice. */
const foreignOctet = /(?:^|[^\\])(?:\\\\)*\\\d/;

/** `text`: a record as `DnsRecord.data`, for which `isSpf` is true. */
export function parseSpf(text: string): SpfRecord | { readonly problem: string } {
  const [, ...terms] = text.split(/ +/).filter((term) => term !== '');
  const problem = problemOf(terms.map((term) => (foreignOctet.test(term) ? term : term.replaceAll('\\\\', '\\'))));
  const foreign = terms.find((term) => foreignOctet.test(term));
  if (foreign !== undefined) return { problem: clip(foreign) };
  if (problem !== null) return { problem };
  const mechanisms = terms.map(mechanismOf).filter((each) => each !== null);
  const end = mechanisms.findIndex(({ name }) => name === 'all');
  const redirect = terms.find((term) => /^redirect=/i.test(term));
  const counted = end === -1 ? mechanisms : mechanisms.slice(0, end + 1);
  return {
    mechanisms: counted,
    allPassAfter: countUntilAllPass(counted),
    redirect: end === -1 && redirect !== undefined ? redirect.slice('redirect='.length) : null,
  };
}

/** See `allPassAfter`. */
function countUntilAllPass(mechanisms: readonly Mechanism[]): number {
  let low = 1;
  let high = mechanisms.length;
  if (!passAll(mechanisms)) return Number.POSITIVE_INFINITY;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passAll(mechanisms.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

const passAll = (mechanisms: readonly Mechanism[]): boolean => coversAll(mechanisms, 4) || coversAll(mechanisms, 6);

function coversAll(mechanisms: readonly Mechanism[], version: 4 | 6): boolean {
  const blocks = mechanisms
    .filter(({ qualifier }) => qualifier === '+')
    .flatMap(({ block }) => (block?.first.version === version ? [block] : []))
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
