/** The tests of `me`: what a service with a DNS and a STUN server observes about this machine besides its request. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { announceMs, maxWaitMs } from '../../core/name-server.ts';
import type { Probes as OfferedProbes } from '../../core/request-context.ts';
import { nameCount, namesOf } from '../../probes/resolvers.ts';
import { Probes } from '../../resources/probes.ts';
import { Resolvers } from '../../resources/resolvers.ts';
import { RoundTrips } from '../../resources/round-trip.ts';
import type { Send, ServiceConnection } from '../service-connection.ts';
import type { Resolved } from './resolve-names.ts';
import { observeUdp, type UdpAddresses } from './udp-addresses.ts';

/** The longest time of a test, in milliseconds, without the start of the process that resolves names. */
const maxTestMs = 3_000;
/** The longest time of the test of resolvers: its request waits at the service, besides the time that every test needs. */
const maxResolverTestMs = maxWaitMs + maxTestMs;
/** The longest lookup of the STUN server's name, if it differs from the host of the service. */
const maxStunLookupMs = 3_000;
/** The longest start of that process: a slow machine takes seconds. */
const maxStartMs = 10_000;

/** The result of a test, or only the reason why there is none. */
type Tested<Value> = ({ readonly reason: null } & Value) | { readonly reason: string };

/** The results of the tests, members that `me` adds to `/json`. */
export interface ClientTests {
  readonly resolver: Tested<Resolvers>;
  readonly udp: Tested<UdpAddresses>;
  readonly roundTrips: Tested<RoundTrips>;
}

export const notOffered = { reason: 'not offered by this service' };

/** Runs all tests concurrently. Never rejects. */
export async function runTests(service: ServiceConnection): Promise<ClientTests> {
  const { send } = service;
  const measured = readOffer(send, '/round-trips', RoundTrips);
  const began = performance.now();
  const offered = await readOffer(send, '/api/probes', Probes);
  const roundTripMs = performance.now() - began;
  // A service before version 1.2 does not state what it offers. Of one that fails, it is not known.
  const none = offered.reason === null ? notOffered : offered;
  const { dns, stun } = offered.reason === null ? offered : { dns: null, stun: null };
  const [roundTrips, resolver, udp] = await Promise.all([
    measured,
    dns === null ? none : testResolvers(send, dns.zone, roundTripMs),
    stun === null ? none : testUdp({ ...stun, version: service.version }, service),
  ]);
  return { resolver, udp, roundTrips };
}

/** The reason why a test has no result, as a message for the user. */
class NoResult extends Error {}

/** Runs a test; a failure has the reason of a NoResult, or names the end of its time or a service that does not respond. */
async function attempt<Value>(run: (signal: AbortSignal) => Promise<Value>, maxMs = maxTestMs): Promise<Tested<Value>> {
  const signal = AbortSignal.timeout(maxMs);
  try {
    return { reason: null, ...(await run(signal)) };
  } catch (error) {
    if (error instanceof NoResult) return { reason: error.message };
    return { reason: signal.aborted ? `no result in ${maxMs / 1000} seconds` : 'the service is unreachable' };
  }
}

async function readJson(response: Awaited<ReturnType<Send>>, path: string): Promise<unknown> {
  if (response.ok) return response.json();
  // A proxy in front of the service may respond without JSON.
  const value: unknown = await response.json().catch(() => null);
  const { data } = z.object({ message: z.string() }).safeParse(value);
  throw new NoResult(data?.message ?? `${path} failed with status ${response.status}`);
}

/** The JSON of a path, which an older service does not have, and one of another version has in another shape. */
async function readOffer<Value extends object>(
  send: Send,
  path: string,
  schema: z.ZodType<Value>,
): Promise<Tested<Value>> {
  const found = await attempt(async (signal) => {
    const response = await send(path, signal);
    const { data } = schema.safeParse(response.status === 404 ? null : await readJson(response, path));
    if (data === undefined) throw new NoResult(notOffered.reason);
    return data;
  });
  return found.reason === notOffered.reason ? notOffered : found;
}

/** A service of version 1.2.0 does not state whether it limited responses. */
const Observed = Resolvers.extend({ limited: Resolvers.shape.limited.default(false) });

const limitedReason = 'not known: the service may have missed queries; try again in a minute';

/**
 * The same test as on the start page: one request waits at the service while this machine resolves names with its id.
 * `roundTripMs`: time for a request to arrive at the service.
 */
const testResolvers = (send: Send, zone: string, roundTripMs: number): Promise<Tested<Resolvers>> =>
  withNameProcess(nameCount, (resolve) =>
    attempt(async (signal) => {
      const id = randomBytes(8).toString('hex');
      const path = `/api/resolver?id=${id}&names=${nameCount}`;
      const resolved: Resolved[] = [];
      const resolveAll = async (): Promise<void> => {
        await delay(roundTripMs + announceMs);
        resolve(namesOf(id, zone), (each) => resolved.push(each));
      };
      const reply = async () => readJson(await send(path, signal), path);
      const [value] = await Promise.all([reply(), resolveAll()]);
      const observed = Observed.parse(value);
      if (observed.resolvers.length > 0) return observed;
      throw new NoResult(observed.limited ? limitedReason : describeSilence(resolved, zone));
    }, maxResolverTestMs),
  );

/** Why no query reached the service, from what the resolver of this machine returned meanwhile. */
function describeSilence(resolved: readonly Resolved[], zone: string): string {
  const noQuery = 'no DNS query reached this service';
  if (resolved.length === 0) return `${noQuery} in time: this machine's DNS resolver is slow, or does not respond`;
  if (resolved.some(({ addresses }) => addresses === null))
    return `${noQuery}: this machine's DNS resolver failed to resolve names of ${zone}`;
  return resolved.some(({ addresses }) => addresses !== null && addresses.length > 0)
    ? `${noQuery}: another server answers for names of ${zone}`
    : `${noQuery}: this machine's DNS resolver states that names of ${zone} do not exist`;
}

/** `version`: the only IP version to try; null for both. */
type StunServer = NonNullable<OfferedProbes['stun']> & Pick<ServiceConnection, 'version'>;

/** HTTPS has resolved the host of the service. If the resolver fails for the STUN server's host, the address of the service is tried. */
const testUdp = (stun: StunServer, service: ServiceConnection): Promise<Tested<UdpAddresses>> => {
  const known = isIP(stun.host) === 0 ? (stun.host === service.host ? service.addresses : null) : [stun.host];
  if (known !== null) return attempt((signal) => observeAddresses(known, stun, signal));
  return withNameProcess(1, (resolve) =>
    attempt(async (signal) => {
      const found = await addressesOf(stun.host, resolve, AbortSignal.timeout(maxStunLookupMs));
      if (found !== null) return observeAddresses(found, stun, signal);
      const instead = { ...stun, host: service.host };
      return observeAddresses(service.addresses, instead, signal).catch((error: NoResult) => {
        throw new NoResult(`${stun.host} was not resolved, and there is ${error.message}`);
      });
    }, maxStunLookupMs + maxTestMs),
  );
};

async function observeAddresses(
  hosts: readonly string[],
  stun: StunServer,
  signal: AbortSignal,
): Promise<UdpAddresses> {
  const { version } = stun;
  const chosen = version === null ? hosts : hosts.filter((host) => isIP(host) === version);
  if (chosen.length === 0)
    throw new NoResult(`${stun.host} has no ${version === null ? 'IP' : `IPv${version}`} address`);
  const observed = await observeUdp(chosen, stun, signal);
  if (observed.addresses.length > 0) return observed;
  throw new NoResult(`no response over UDP from port ${stun.port} of ${stun.host}`);
}

/** The IP addresses of a host name; null if the resolver fails, or has not responded at the end of the signal. */
const addressesOf = (host: string, resolve: ResolveNames, signal: AbortSignal): Promise<readonly string[] | null> =>
  new Promise((done) => {
    signal.addEventListener('abort', () => done(null));
    resolve([host], ({ addresses }) => done(addresses));
  });

type ResolveNames = (names: readonly string[], onResolved?: (resolved: Resolved) => void) => void;

// Its own name in the package, where all programs are in one folder.
const program = new URL(`./resolve-names${extname(import.meta.url)}`, import.meta.url);

const noProcess = { reason: 'this machine could not run the process that resolves names' };

/** Runs a test that resolves `count` names in a separate process, once that has started: a slow start must not look like a missing query. */
async function withNameProcess<Value>(
  count: number,
  run: (resolve: ResolveNames) => Promise<Tested<Value>>,
): Promise<Tested<Value>> {
  let child: ChildProcess | undefined;
  try {
    const started = fork(program, [], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // A thread for each name: a silent resolver keeps it for seconds.
      env: { ...process.env, UV_THREADPOOL_SIZE: String(count) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = started;
    // Sending to a process that has ended is an error.
    started.on('error', () => {});
    const ended = once(started, 'exit').then(() => noProcess);
    const ready = once(started, 'message', { signal: AbortSignal.timeout(maxStartMs) });
    if ((await Promise.race([ready, ended])) === noProcess) return noProcess;
    const resolve: ResolveNames = (names, onResolved = () => {}) => {
      started.on('message', onResolved);
      // A final dot prevents search domains.
      started.send(names.map((name) => `${name}.`));
    };
    return await Promise.race([run(resolve), ended]);
  } catch {
    return noProcess;
  } finally {
    child?.kill('SIGKILL');
  }
}
