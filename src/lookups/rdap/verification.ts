/** Checks that an RDAP object is the record of the queried name, address block or AS number. */
import { type Address, formatAddress, lastOf, parseAddress, parsePrefix } from '../../core/address.ts';
import type { JsonObject } from '../../core/json.ts';
import { clip } from '../../core/text.ts';
import { integerOf, objectsOf, textOf } from './json.ts';
import { pathOf, type RdapQuery, toAscii } from './query.ts';

/** Null if the record covers the query; otherwise what arrived instead, as the beginning of a sentence. */
export function mismatchOf(data: JsonObject, query: RdapQuery): string | null {
  const { covers, description } = recordOf(data, query);
  if (covers) return null;
  const queried = clip(query.kind === 'autnum' ? `AS${query.number}` : pathOf(query).replace(/^[a-z]+\//, ''));
  return description === null
    ? `The registry returned a record that does not state what it describes, for the query ${queried}`
    : `The registry returned the record of ${clip(description)} for the query ${queried}`;
}

/** `description`: the object that the record describes; null if it does not state it. */
function recordOf(data: JsonObject, query: RdapQuery) {
  switch (query.kind) {
    case 'domain': {
      const name = domainNameOf(data);
      const names = [name, ...variantNamesOf(data)];
      return { covers: names.includes(query.name) || names.includes(query.fullName), description: name };
    }
    case 'ip': {
      const ranges = rangesOf(data);
      const { first } = query.prefix;
      const last = lastOf(query.prefix);
      const covers = ranges.some(
        ({ start, end }) => start.version === first.version && start.bits <= first.bits && last.bits <= end.bits,
      );
      const [range] = ranges;
      return { covers, description: range ? `${formatAddress(range.start)} to ${formatAddress(range.end)}` : null };
    }
    case 'autnum': {
      const start = integerOf(data.startAutnum);
      const end = integerOf(data.endAutnum) ?? start;
      if (start === null || end === null) return { covers: false, description: null };
      const description = start === end ? `AS${start}` : `AS${start} to AS${end}`;
      return { covers: start <= query.number && query.number <= end, description };
    }
  }
}

/** The name of a domain record in A-labels. Some servers send U-labels as ldhName, or only unicodeName. */
export function domainNameOf(data: JsonObject): string | null {
  return toAscii(textOf(data.ldhName) ?? textOf(data.unicodeName) ?? '');
}

/** The variants that the same record describes (RFC 9083 §5.3). */
const variantNamesOf = (data: JsonObject): readonly (string | null)[] =>
  objectsOf(data.variants).flatMap(({ variantNames }) => objectsOf(variantNames).map(domainNameOf));

/** The range of an IP network, or, if it states none, the blocks of the extension cidr0: https://bitbucket.org/nroecg/nro-rdap-cidr/ */
export function rangesOf(data: JsonObject): readonly { start: Address; end: Address }[] {
  const start = addressOf(data.startAddress);
  const end = addressOf(data.endAddress);
  if (start !== null && end !== null) return start.version === end.version ? [{ start, end }] : [];
  return objectsOf(data.cidr0_cidrs).flatMap(({ v4prefix, v6prefix, length }) => {
    const prefix = parsePrefix(`${textOf(v4prefix) ?? textOf(v6prefix)}/${integerOf(length)}`);
    return prefix === null ? [] : [{ start: prefix.first, end: lastOf(prefix) }];
  });
}

export const addressOf = (value: unknown): Address | null => parseAddress(textOf(value) ?? '');
