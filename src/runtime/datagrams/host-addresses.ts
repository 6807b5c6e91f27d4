/** The addresses of the host of PUBLIC_URL, which names in DNS_ZONE have if DNS_ADDRESSES is not set; resolved again and again. */
import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { formatAddress, parseAddress, withoutBrackets } from '../../core/address.ts';
import type { Log } from '../../core/log.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';

interface FollowOptions {
  readonly bounds: Pick<Bounds, 'hostRefreshMs' | 'hostRetryMs'>;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Queries name servers directly: the file of hosts often has an address of loopback or of the local network for the own name. */
  readonly resolver?: Pick<Resolver, 'resolve4' | 'resolve6'>;
}

/** Calls `use` with the addresses of a host, once before it returns if they can be resolved, and whenever they are resolved again. */
export async function followHost(
  host: string,
  { bounds, log, signal, resolver = new Resolver({ timeout: 2_000, tries: 2 }) }: FollowOptions,
  use: (addresses: readonly string[]) => void,
): Promise<void> {
  const literal = parseAddress(withoutBrackets(host));
  if (literal !== null) return use([formatAddress(literal)]);
  /** IPv4 and IPv6; null if not known. */
  let known: readonly (readonly string[] | null)[] = [null, null];
  const refresh = async (): Promise<void> => {
    const found = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)].map(foundOf));
    // Known addresses stay in use while they cannot be resolved again, or if the host has lost all of them.
    const next = found.map((addresses, at) => addresses ?? known[at] ?? null);
    if (!next.some((addresses) => addresses !== null && addresses.length > 0)) return;
    known = next;
    use(next.flatMap((addresses) => addresses ?? []));
  };
  await refresh();
  if (known.every((addresses) => addresses === null))
    log(
      'dns_addresses_unknown',
      'the host of PUBLIC_URL does not resolve, so names in DNS_ZONE have no address; set DNS_ADDRESSES, or publish A or AAAA records of the host',
    );
  const repeat = async (): Promise<void> => {
    for (;;) {
      const intervalMs = known.includes(null) ? bounds.hostRetryMs : bounds.hostRefreshMs;
      await delay(intervalMs, undefined, { ref: false, signal });
      await refresh();
    }
  };
  // The wait is aborted when the server ends.
  repeat().catch(() => {});
}

/** Errors that state that the host has no address of this version. After any other one, that is not known. */
const absences: readonly unknown[] = ['ENODATA', 'ENOTFOUND'];

const foundOf = (addresses: Promise<readonly string[]>): Promise<readonly string[] | null> =>
  addresses.catch(({ code }: NodeJS.ErrnoException) => (absences.includes(code) ? [] : null));
