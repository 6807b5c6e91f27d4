/** The tests of `me`: what a service with a DNS and a STUN server observes about this machine besides its request. */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Probes as OfferedProbes } from '../../core/request-context.ts';
import { nameCount, namesOf } from '../../http/page/home/resolver.ts';
import { Probes } from '../../resources/probes.ts';
import { Resolvers } from '../../resources/resolvers.ts';
import { RoundTrips } from '../../resources/round-trip.ts';
import type { Resolved } from './resolve-names.ts';
import { observeUdp, type UdpAddresses } from './udp-addresses.ts';

/** The longest time of all tests, in milliseconds. */
const maxTestMs = 3_000;

/** Requests a path of the service. */
type Send = (path: string, signal: AbortSignal) => Promise<Pick<Response, 'ok' | 'status' | 'json'>>;

/** The result of a test, or only the reason why there is none. */
type Tested<Value> = ({ readonly reason: null } & Value) | { readonly reason: string };

/** Members that `me` adds to `/json`. */
export interface ClientTests {
  readonly resolver: Tested<Resolvers>;
  readonly udp: Tested<UdpAddresses>;
  readonly roundTrips: Tested<RoundTrips>;
}

export const notOffered = { reason: 'not offered by this service' };

/** Runs all tests concurrently, in at most 3 seconds. Never rejects. */
export async function runTests(send: Send): Promise<ClientTests> {
  const signal = AbortSignal.timeout(maxTestMs);
  const measured = attempt(signal, () => observeRoundTrips(send, signal));
  const began = performance.now();
  const offered = await readJson(send, '/api/probes', signal).then(
    (value) => Probes.safeParse(value).data,
    () => undefined,
  );
  const roundTripMs = performance.now() - began;
  // A service before version 1.2 does not state what it offers.
  const { dns, stun } = offered ?? { dns: null, stun: null };
  const [roundTrips, resolver, udp] = await Promise.all([
    measured,
    dns === null ? notOffered : attempt(signal, () => observeResolvers({ ...dns, send, signal, roundTripMs })),
    stun === null ? notOffered : attempt(signal, () => observeAddresses(stun, signal)),
  ]);
  return { resolver, udp, roundTrips };
}

/** The reason why a test has no result, as a message for the user. */
class NoResult extends Error {}

/** Runs a test; the reason of a failure is that of a NoResult, the end of the signal, or a service that does not respond. */
async function attempt<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Tested<Value>> {
  try {
    return { reason: null, ...(await run()) };
  } catch (error) {
    if (error instanceof NoResult) return { reason: error.message };
    return { reason: signal.aborted ? `no result in ${maxTestMs / 1000} seconds` : 'the service is unreachable' };
  }
}

async function readJson(send: Send, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await send(path, signal);
  const value: unknown = await response.json();
  if (response.ok) return value;
  throw new NoResult(z.object({ message: z.string() }).safeParse(value).data?.message ?? `${path} failed`);
}

interface ResolverTest {
  readonly zone: string;
  readonly send: Send;
  readonly signal: AbortSignal;
  /** Time for a request to arrive at the service. */
  readonly roundTripMs: number;
}

/** The same test as on the start page: one request waits at the service while this machine resolves names with its id. */
async function observeResolvers({ zone, send, signal, roundTripMs }: ResolverTest): Promise<Resolvers> {
  const id = randomBytes(8).toString('hex');
  const ended = new AbortController();
  const resolveAll = async (): Promise<void> => {
    await delay(roundTripMs);
    startResolving(namesOf(id, zone), AbortSignal.any([signal, ended.signal]));
  };
  try {
    const path = `/api/resolver?id=${id}&names=${nameCount}`;
    const [value] = await Promise.all([readJson(send, path, signal), resolveAll()]);
    const observed = Resolvers.parse(value);
    if (observed.resolvers.length === 0) throw new NoResult('no DNS query reached this service');
    return observed;
  } finally {
    ended.abort();
  }
}

async function observeRoundTrips(send: Send, signal: AbortSignal): Promise<RoundTrips> {
  const response = await send('/round-trips', signal);
  const { data } = RoundTrips.safeParse(response.ok ? await response.json() : null);
  // An older service, or one of another version.
  if (data === undefined) throw new NoResult(response.status === 429 ? 'too many requests' : notOffered.reason);
  return data;
}

async function observeAddresses(stun: NonNullable<OfferedProbes['stun']>, signal: AbortSignal): Promise<UdpAddresses> {
  const hosts = isIP(stun.host) === 0 ? await resolveName(stun.host, signal) : [stun.host];
  if (hosts.length === 0) throw new NoResult(`${stun.host} has no IP address`);
  const observed = await observeUdp(hosts, stun, signal);
  if (observed.addresses.length > 0) return observed;
  throw new NoResult(`no response over UDP from port ${stun.port} of ${stun.host}`);
}

/** The IP addresses of a host name; rejects at the end of the signal. */
async function resolveName(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const ended = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new NoResult(`${host} was not resolved`)));
      startResolving([host], AbortSignal.any([signal, ended.signal]), ({ addresses }) => resolve(addresses));
    });
  } finally {
    ended.abort();
  }
}

// Its own name in the package, where all programs are in one folder.
const program = new URL(`./resolve-names${extname(import.meta.url)}`, import.meta.url);

/** Resolves names in a separate process, which the signal ends. */
function startResolving(
  names: readonly string[],
  signal: AbortSignal,
  onResolved: (resolved: Resolved) => void = () => {},
): void {
  const child = fork(
    program,
    // A final dot prevents search domains.
    names.map((name) => `${name}.`),
    {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // A thread for each name: a silent resolver keeps it for seconds.
      env: { ...process.env, UV_THREADPOOL_SIZE: String(names.length) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  child.on('message', onResolved);
  child.on('error', () => {});
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
}
