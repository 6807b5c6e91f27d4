/** The DNS server of the thread for datagrams: answers for the zone, and passes on what requests wait for. */
import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { formatAddress, parseAddress, withoutBrackets } from '../../core/address.ts';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { RejectionReason } from '../../core/metrics.ts';
import { clientSubnetOf, createZone, isMixedCase } from '../../edges/dns/zone.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { networksOf } from '../../edges/node/limits/limits.ts';
import { dnsBounds } from '../../ingress/dns/bounds.ts';
import { DnsServer } from '../../ingress/dns/server.ts';
import type { ObservedQuery } from '../../wire/dns/query.ts';
import type { DnsStart } from './messages.ts';
import type { WatchedIds } from './watched-ids.ts';

/** The functions that a server of the thread uses. */
export interface ServerServices {
  readonly bounds: Bounds;
  readonly log: Log;
  readonly notice: Log;
  readonly watched: WatchedIds;
  /** Called if another process has a port; null: then the server cannot listen. */
  readonly onWaiting: ((port: number) => void) | null;
  count(result: string): void;
  countRejection(reason: RejectionReason): void;
}

/** Throws the system's error if the port cannot be opened. */
export async function openDns(start: DnsStart, services: ServerServices) {
  const { zone: name, nameServers, port, listenOn, otherPorts, responsesPerSecond } = start;
  const { bounds, log, notice, watched, onWaiting, count, countRejection } = services;
  const zoneOf = (addresses: readonly string[]) => createZone({ zone: name, nameServers, addresses });
  let zone = zoneOf(start.addresses);
  const observe = (query: ObservedQuery): void => {
    const probe = watched.count === 0 ? null : zone.probeOf(query.name);
    if (probe === null || !watched.isWatched(probe.id)) return;
    const { address, transport, type, edns } = query;
    watched.observe(probe.id, {
      address,
      transport,
      number: probe.number,
      depth: probe.depth,
      hasMixedCase: isMixedCase(query.name),
      type,
      ednsBufferBytes: edns?.bufferBytes ?? null,
      dnssecOk: edns?.dnssecOk ?? false,
      hasCookie: edns?.hasCookie ?? false,
      clientSubnet: clientSubnetOf(query),
    });
  };
  const end = new AbortController();
  if (start.addresses.length === 0 && start.host !== null)
    await followHost(start.host, { bounds, log, signal: end.signal }, (addresses) => {
      zone = zoneOf(addresses);
    });
  const server = new DnsServer({
    bounds: dnsBounds,
    port,
    hosts: listenOn,
    otherPorts,
    responsesPerSecond,
    networksOf,
    answer(query) {
      observe(query);
      return zone.answer(query);
    },
    // A fault may concern each of thousands of queries.
    onError: (error) => notice('internal_error', failureOf(error)),
    onResult: count,
    onMissing: (address, code) => notice('dns_not_listening', missingText(address, code), { address, code }),
    onClosed: () => countRejection('dns_connections'),
    onWaiting: onWaiting && (() => onWaiting(port)),
  });
  await server.listen();
  return {
    port: server.port,
    close(withinMs: number): Promise<void> {
      end.abort();
      return server.close(withinMs);
    },
  };
}

const missingText = (address: string | null, code: string | null): string =>
  address === null
    ? 'DNS does not listen, because this machine has no suitable address; trying again every second. Check DNS_HOST'
    : `DNS does not listen on ${address} (${code}); trying again every second. Check DNS_HOST and the addresses of this machine`;

interface FollowOptions {
  readonly bounds: Bounds;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Calls `use` with the addresses of a host, once before it returns if they can be resolved, and whenever they are resolved again. */
async function followHost(
  host: string,
  { bounds, log, signal }: FollowOptions,
  use: (addresses: readonly string[]) => void,
): Promise<void> {
  const refresh = async (): Promise<boolean> => {
    const addresses = await resolveHost(host);
    if (addresses.length > 0) use(addresses);
    return addresses.length > 0;
  };
  let isKnown = await refresh();
  if (!isKnown)
    log(
      'dns_addresses_unknown',
      'the host of PUBLIC_URL does not resolve, so names in DNS_ZONE have no address; set DNS_ADDRESSES, or publish A or AAAA records of the host',
    );
  const repeat = async (): Promise<void> => {
    for (;;) {
      await delay(isKnown ? bounds.hostRefreshMs : bounds.hostRetryMs, undefined, { ref: false, signal });
      // Known addresses stay in use while they cannot be resolved again.
      isKnown = (await refresh()) || isKnown;
    }
  };
  // The wait is aborted when the server ends.
  repeat().catch(() => {});
}

/** Queries name servers directly: the file of hosts often has an address of loopback or of the local network for the own name. */
async function resolveHost(host: string): Promise<readonly string[]> {
  const literal = parseAddress(withoutBrackets(host));
  if (literal !== null) return [formatAddress(literal)];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}
