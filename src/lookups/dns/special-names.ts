/** Names that the public DNS does not contain by design: who answers for them instead. Pure. */

const privateNetwork = 'belongs to private networks: only their own resolvers know its names';
const privateBlock =
  'is the reverse zone of private addresses: only the resolvers of their network know names for them';
const multicast =
  'belongs to multicast DNS (mDNS): the devices of a local network answer for their own names, and resolvers do not know them';

/** Zones, each with what it is. https://www.iana.org/assignments/special-use-domain-names Last updated: 2026-11-21 */
const zones: ReadonlyMap<string, string> = new Map([
  ['local', `${multicast} (RFC 6762)`],
  ['254.169.in-addr.arpa', `${multicast} (RFC 6762)`],
  ...[...'89ab'].map((nibble) => [`${nibble}.e.f.ip6.arpa`, `${multicast} (RFC 6762)`] as const),
  ['localhost', 'is always the machine itself (RFC 6761)'],
  ['home.arpa', `${privateNetwork} (RFC 8375)`],
  ['internal', `${privateNetwork} (reserved by ICANN)`],
  ['onion', 'belongs to Tor, which resolves its names without DNS (RFC 7686)'],
  ['alt', 'belongs to name systems other than DNS (RFC 9476)'],
  ['test', 'is reserved for tests (RFC 6761)'],
  ['invalid', 'is reserved for names that do not exist (RFC 6761)'],
  ['example', 'is reserved for documentation (RFC 6761)'],
  ...['10', '168.192', ...Array.from({ length: 16 }, (_, at) => `${16 + at}.172`)].map(
    (block) => [`${block}.in-addr.arpa`, `${privateBlock} (RFC 6303)`] as const,
  ),
  ...['c', 'd'].map((nibble) => [`${nibble}.f.ip6.arpa`, `${privateBlock} (RFC 6303)`] as const),
]);

/** A sentence about the zone with a special use that contains the name; null for every other name. */
export function describeSpecialUse(name: string): string | null {
  const labels = name.toLowerCase().split('.');
  const zone = labels.map((_, at) => labels.slice(at).join('.')).find((each) => zones.has(each));
  return zone === undefined ? null : `The zone ${zone} ${zones.get(zone)}.`;
}
