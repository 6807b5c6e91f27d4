/** Finds the addresses of a host and lets only public ones through. */
import { Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, formatAddress, parseAddress, unmapped } from '../../core/address.ts';
import type { OutboundFailure } from '../../core/platform.ts';
import { isPublicAddress, literalOf, mayBePublic } from '../../lookups/public-address.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** RFC 8305 §3: once one family has answered, the other is waited for this long. */
const resolutionDelayMs = 50;

/** A lost packet is sent again soon enough to be answered within a lookup's time. */
const perServer = { timeout: 1000, tries: 3 };

/** The addresses of a URL's host, or why none may be asked: one that is not public refuses the whole host. */
export async function publicAddresses(
  hostname: string,
  timeoutMs: number,
): Promise<readonly HostAddress[] | OutboundFailure> {
  const literal = literalOf(hostname);
  if (literal === null && !mayBePublic(hostname)) return 'blocked';
  const addresses = literal === null ? await resolve(hostname, timeoutMs) : [literal];
  if (!Array.isArray(addresses)) return addresses;
  const own = ownAddresses();
  if (addresses.some((address) => own.has(formatAddress(unmapped(address))))) return 'own';
  if (!addresses.every(isPublicAddress)) return 'blocked';
  return addresses.map((address) => ({ address: formatAddress(address), family: address.version }));
}

/**
 * Asks the system's name servers directly: getaddrinfo would occupy one of the process's four file threads for as
 * long as a server is silent, and try the system's search domains, which name hosts inside the network.
 */
async function resolve(hostname: string, timeoutMs: number): Promise<Address[] | 'unresolved' | 'timeout'> {
  const resolver = new Resolver(perServer);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const families = [resolver.resolve6(hostname), resolver.resolve4(hostname)];
  try {
    await Promise.any(families).catch(() => {});
    const answers = families.map((family) => Promise.race([family, delay(resolutionDelayMs, [])]));
    const settled = await Promise.allSettled(answers);
    const found = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).map(parseAddress);
    if (found.length > 0) return found.filter((address) => address !== null);
    const codes = settled.map((answer) => (answer.status === 'rejected' ? answer.reason.code : null));
    return codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED') ? 'timeout' : 'unresolved';
  } finally {
    clearTimeout(timer);
    resolver.cancel();
    for (const family of families) family.catch(() => {});
  }
}

/** Addresses of this machine's interfaces, but for loopback: those are refused as not public. */
function ownAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return new Set(interfaces.filter(({ internal }) => !internal).map(({ address }) => address));
}
