/** The client address as Cloudflare reports it, in front of this service and to its Worker. */
import { contains, formatAddress, parseAddress, prefixOf, unmapped } from '../../core/address.ts';

/** The block that "Pseudo IPv4" uses to replace IPv6 addresses. */
const classE = prefixOf('240.0.0.0/4');

/** Returns the address of `CF-Connecting-IP`, or the one that "Pseudo IPv4" has replaced, of `CF-Connecting-IPv6`; null if it is no address. */
export function cloudflareAddressOf(connecting: string | null, connectingIpv6: string | null): string | null {
  const peer = parseAddress(connecting ?? '');
  if (peer === null) return null;
  const caller = contains(classE, peer) ? (parseAddress(connectingIpv6 ?? '') ?? peer) : peer;
  return formatAddress(unmapped(caller));
}

export function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  const address = parseAddress(one);
  const its = parseAddress(other);
  return address !== null && its !== null && formatAddress(address) === formatAddress(its);
}

/** Divides a list into what the client sent and the last entry, if Cloudflare appended it; null for a part that does not exist. */
export function splitAppended(value: string, isAppended: (last: string) => boolean) {
  const parts = value.split(',');
  const last = parts.at(-1)?.trim() ?? '';
  if (!isAppended(last)) return { sent: value, added: null };
  return { sent: parts.length > 1 ? parts.slice(0, -1).join(',').trim() : null, added: last };
}
