/** The addresses that forwarding headers name, freed of ports, brackets and notation so that they can be compared. */

export interface NamedAddress {
  header: string;
  /** As the header wrote it, without port, brackets and zone. */
  text: string;
  /** Equal for equal addresses: dotted IPv4, or eight hexadecimal groups; IPv4-mapped IPv6 is IPv4. */
  address: string;
}

const single = ['x-real-ip', 'true-client-ip', 'client-ip', 'x-client-ip'] as const;

const maxLength = 4096;
const maxEntries = 64;

/** In the form in which `NamedAddress.address` is; null for what is no address. */
export const comparable = (address: string): string | null => parse(address)?.address ?? null;

/** Every address that forwarding headers name except `peer` and what its own chain appended right of it. Headers in a fixed order. */
export function namedAddresses(
  headers: Readonly<Record<string, string>>,
  peer: string | null,
): readonly NamedAddress[] {
  const chains = [
    named('x-forwarded-for', list(headers['x-forwarded-for'])),
    // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
    named(
      'forwarded',
      [...capped(headers.forwarded).matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? ''),
    ),
    ...single.map((name) => named(name, list(headers[name]))),
    // RFC 9110 §7.6.3: protocol, then who received it, a host name or an address
    named(
      'via',
      list(headers.via).map((hop) => hop.trim().split(/\s/)[1] ?? ''),
    ),
  ];
  return chains.flatMap((chain) => {
    // Each proxy appends whom it saw, so the peer and all right of it is what our own side wrote.
    const seen = chain.findLastIndex(({ address }) => address === peer);
    return seen < 0 ? chain : chain.slice(0, seen);
  });
}

/** RFC 1918, 6598, 3927, 4193 and 4291: addresses that mean something only inside one network. */
export function isPrivate(address: string): boolean {
  if (address.includes('.')) {
    const [a = 0, b = 0] = address.split('.').map(Number);
    return (
      a === 0 ||
      a === 10 ||
      a === 127 ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254) ||
      (a === 100 && b >= 64 && b < 128)
    );
  }
  const first = Number.parseInt(address, 16);
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || /^(?:0:){7}[01]$/.test(address);
}

function named(header: string, nodes: readonly string[]): NamedAddress[] {
  return nodes.slice(-maxEntries).flatMap((node) => {
    const parsed = parse(node);
    return parsed === null ? [] : [{ header, ...parsed }];
  });
}

/** From the right, where the nearest hops are, and without the entry that the cut goes through. */
function capped(field = ''): string {
  return field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;
}

const list = (field: string | undefined) => capped(field).split(',');

/** Null for host names, `unknown`, obfuscated identifiers and whatever else is no address. */
function parse(node: string): Omit<NamedAddress, 'header'> | null {
  const bare = node.trim().replace(/^"|"$/g, '');
  if (bare.length > 64) return null;
  const host = /^\[([^\]]*)\]/.exec(bare)?.[1] ?? bare.replace(/^([\d.]+):\d+$/, '$1');
  // A zone (RFC 4007 §11) is free text.
  const text = host.replace(/%.*$/s, '');
  const address = ipv4(text) ?? ipv6(text);
  return address === null ? null : { text, address };
}

function ipv4(text: string): string | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return null;
  return parts.map(Number).join('.');
}

function ipv6(text: string): string | null {
  const tail = /^(.*:)([\d.]+)$/.exec(text);
  if (tail?.[2]?.includes('.')) {
    const octets = ipv4(tail[2])?.split('.').map(Number);
    if (octets === undefined) return null;
    const [a = 0, b = 0, c = 0, d = 0] = octets;
    return ipv6(`${tail[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`);
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = [], rest = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...rest];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  const numbers = groups.map((group) => Number.parseInt(group, 16));
  if (numbers.slice(0, 5).every((n) => n === 0) && numbers[5] === 0xffff) {
    const [high = 0, low = 0] = numbers.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return numbers.map((n) => n.toString(16)).join(':');
}
