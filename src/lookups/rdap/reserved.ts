/** Private and reserved addresses, AS numbers and domain names: no registry has a record of them. */
import { isReservedBlock } from '../../core/networks.ts';
import { clip } from '../../core/text.ts';
import type { RdapQuery } from './query.ts';

/**
 * Closed ranges: IANA's Special-Purpose AS Numbers without AS112, which is registered, and the reserved range 65552 to 131071.
 * https://www.iana.org/assignments/iana-as-numbers-special-registry Last updated: 2026-11-21
 */
const reservedAutnums: readonly (readonly [first: number, last: number])[] = [
  [0, 0],
  [23_456, 23_456],
  [64_496, 131_071],
  [4_200_000_000, 4_294_967_295],
];

/**
 * IANA's Special-Use Domain Names that cannot be registered, and ICANN's .internal; example.com and others of that list
 * are registered.
 * https://www.iana.org/assignments/special-use-domain-names Last updated: 2026-11-21
 */
const reservedName =
  /(?:^|\.)(?:alt|example|internal|invalid|local|localhost|onion|test|(?:eap|home|ipv4only|resolver|service)\.arpa)$/;

/** The reason why nothing can be registered for this query; null if it is not reserved. */
export function reservationOf(query: RdapQuery): string | null {
  switch (query.kind) {
    case 'ip':
      return isReservedBlock(query.prefix) ? 'This address block is private or reserved' : null;
    case 'autnum':
      return reservedAutnums.some(([first, last]) => first <= query.number && query.number <= last)
        ? `AS${query.number} is private or reserved`
        : null;
    case 'domain':
      return reservedName.test(query.name) ? `The name ${clip(query.name)} is reserved` : null;
  }
}
