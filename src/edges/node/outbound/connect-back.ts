/** Connects to the client of a request and to nothing else, to see whether one of its TCP ports is open. */
import { connect } from 'node:net';
import { type Address, formatAddress, parseAddress, unmapped, untranslated } from '../../../core/address.ts';
import { portTimeoutMs } from '../../../core/limits.ts';
import { type ConnectionFailure, type ConnectionOutcome, type Platform, portStates } from '../../../core/platform.ts';
import type { Settings } from '../../../core/settings.ts';
import { literalOf, mayBePublic } from '../../../lookups/public-address.ts';
import { isTrusted } from '../../proxy/forwarded.ts';
import { publicAddresses, resolveAll } from './public-lookup.ts';
import { ownFailureOf } from './route.ts';

/** Time for the addresses of the service's own hosts. */
const resolutionTimeoutMs = 2_000;

type OwnSite = Pick<Settings, 'publicUrl' | 'publicUrlV4' | 'publicUrlV6' | 'trustProxy'>;

export function createConnectBack({ publicUrl, publicUrlV4, publicUrlV6, trustProxy }: OwnSite) {
  const urls = [publicUrl, publicUrlV4, publicUrlV6].filter((url) => url !== null);
  const ownHosts = [...new Set(urls.map((url) => new URL(url).hostname))];

  /** The address to connect to, or the reason why there is none. */
  const targetOf = async ({ ip, simulated }: Client): Promise<Address | ConnectionFailure> => {
    // A proxy that does not name its client leaves its own address.
    const address = ip === null || simulated || isTrusted(trustProxy, ip) ? null : parseAddress(ip);
    if (address === null) return 'unknown';
    const found = await publicAddresses(formatAddress(address), 0);
    if (typeof found === 'string') return found === 'own' ? 'own' : 'blocked';
    // Behind a NAT, no interface has the service's public address.
    const hosts = await Promise.all(ownHosts.map(addressesOfHost));
    if (hosts.some((each) => each === null)) return 'hosts_unknown';
    return hosts.some((each) => each?.includes(reachedBy(address))) ? 'own' : address;
  };

  const connectBack: NonNullable<Platform['connectBack']> = async (client, port) => {
    const target = await targetOf(client);
    return typeof target === 'string' ? { failure: target } : tryPort(formatAddress(target), port);
  };
  return connectBack;
}

type Client = Parameters<NonNullable<Platform['connectBack']>>[0];

/** The text of the address that a connection reaches. */
const reachedBy = (address: Address): string => formatAddress(untranslated(unmapped(address)));

/** Addresses of a host; empty if it has none, or only ones inside a network; null if DNS fails, even for one IP version. */
async function addressesOfHost(hostname: string): Promise<readonly string[] | null> {
  const literal = literalOf(hostname);
  if (literal !== null) return [reachedBy(literal)];
  if (!mayBePublic(hostname)) return [];
  return (await resolveAll(hostname, resolutionTimeoutMs))?.map(reachedBy) ?? null;
}

type Outcome = ConnectionOutcome['state'] | ConnectionFailure;

/** Meanings of the errors of connect(2) on Linux. A firewall that rejects with "port unreachable" causes the same one as a reset. */
const outcomes: Readonly<Record<string, Outcome>> = {
  ECONNREFUSED: 'closed',
  // ICMP messages; the last two: administratively prohibited, and protocol unreachable.
  ENETUNREACH: 'filtered',
  EHOSTUNREACH: 'filtered',
  EACCES: 'filtered',
  ENOPROTOOPT: 'filtered',
  ETIMEDOUT: 'filtered',
  // It accepted the connection and reset it.
  ECONNRESET: 'open',
  EMFILE: 'overloaded',
  ENFILE: 'overloaded',
};

const outcomeOf = async (code: string, host: string): Promise<Outcome> =>
  (await ownFailureOf(code, host)) ?? outcomes[code] ?? 'no_route';

/** Sends no byte. */
async function tryPort(
  host: string,
  port: number,
): Promise<ConnectionOutcome | { readonly failure: ConnectionFailure }> {
  const began = performance.now();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => resolve('filtered'), portTimeoutMs);
  const socket = connect({ host, port });
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(outcomeOf(code, host)));
  socket.once('connect', () => resolve('open'));
  const outcome = await promise;
  clearTimeout(timer);
  socket.destroy();
  return isState(outcome) ? { state: outcome, elapsedMs: performance.now() - began } : { failure: outcome };
}

const isState = (outcome: Outcome): outcome is ConnectionOutcome['state'] =>
  portStates.some((state) => state === outcome);
