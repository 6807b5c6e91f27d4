/** The network of a client in the text of its address. */

/**
 * Returns the network that counts as one client: an IPv4 address itself, the first 64 or 48 bits of an IPv6 address. `ip` is in
 * the form of `formatAddress` or of the operating system. A /64 never equals a /48.
 */
export function clientNetworkOf(ip: string, ipv6Bits: 64 | 48 = 64): string {
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    // A dotted last part (::ffff:192.0.2.1) stands for two groups.
    const zeros = 8 - groups.length - last.length - (tail.includes('.') ? 1 : 0);
    groups.push(...Array<string>(zeros).fill('0'), ...last);
  }
  return `${groups.slice(0, ipv6Bits / 16).join(':')}::/${ipv6Bits}`;
}
