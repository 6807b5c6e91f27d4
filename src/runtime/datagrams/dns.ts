/** The DNS server of the thread for datagrams: answers for the zone, and passes on what requests wait for. */
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { RejectionReason } from '../../core/metrics.ts';
import { clientSubnetOf, createZone, isMixedCase } from '../../edges/dns/zone.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { dnsBounds } from '../../ingress/dns/bounds.ts';
import { DnsServer } from '../../ingress/dns/server.ts';
import { createIdentify } from '../../ingress/limits/identity.ts';
import type { ObservedQuery } from '../../wire/dns/query.ts';
import { createDropCount } from './dropped-datagrams.ts';
import { followHost } from './host-addresses.ts';
import type { DnsStart } from './messages.ts';
import type { WatchedIds } from './watched-ids.ts';

/** The functions that a server of the thread uses. */
export interface ServerServices {
  readonly bounds: Bounds;
  readonly log: Log;
  readonly notice: Log;
  readonly watched: WatchedIds;
  /** Called if another process has the port; null: then the server cannot listen. */
  readonly onWaiting: (() => void) | null;
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
    identify: createIdentify(),
    answer(query) {
      observe(query);
      return zone.answer(query);
    },
    // A fault may concern each of thousands of queries.
    onError: (error) => notice('internal_error', failureOf(error)),
    onResult(result) {
      count(result);
      if (result === 'limited' || result === 'dropped') watched.reportLimit();
    },
    onMissing: (address, code) => notice('dns_not_listening', missingText(address, code), { address, code }),
    onClosed(reason) {
      countRejection('dns_connections');
      if (reason === 'connections' || reason === 'replaced') watched.reportLimit();
    },
    onWaiting,
  });
  await server.listen();
  watched.countLossesBy(createDropCount(() => server.udpAddresses));
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
