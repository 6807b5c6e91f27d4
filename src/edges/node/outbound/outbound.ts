/** Outbound requests to resolvers, registries and sites, bounded in time and size. */
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { maxInformationalResponses, maxResponseHeaderBytes } from '../../../core/limits.ts';
import type { OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../../core/platform.ts';
import { ingressBounds } from '../../../ingress/bounds.ts';
import { decodeValue } from '../../../ingress/message/headers.ts';
import { Scheduler } from '../../../ingress/scheduler.ts';
import { startReading, stopReading } from '../../../native/socket.ts';
import { readBody } from './body.ts';
import { type HostAddress, publicAddresses } from './public-lookup.ts';

interface OutboundOptions {
  /** Decides when a request begins, when it opens its connection, and when its TLS handshake ends; if absent, one of its own. */
  readonly scheduler?: Scheduler;
  /** Resolves a host that `fetchPublic` requests; if absent, to public addresses only. */
  readonly addressesOf?: typeof publicAddresses;
  /** Whether `fetchPublic` accepts certificates that are not valid. */
  readonly acceptsAnyCertificate?: boolean;
}

/** The end of a TLS handshake, in the costs of an HTTP/2 stream: it takes 1.5 ms, most of it to verify the certificate. */
const handshakeStreams = 100;

type Undici = typeof import('./undici.ts');

/**
 * Loads what sends requests, which a command that sends none does not need. Null if it cannot be loaded because no file descriptor is left;
 * the next call tries again.
 */
export const loadUndici = (): Promise<Undici | null> => import('./undici.ts').catch(() => null);

export function createOutbound({
  scheduler = new Scheduler(ingressBounds),
  addressesOf = publicAddresses,
  acceptsAnyCertificate = false,
}: OutboundOptions = {}) {
  const agents = new Set<Agent>();
  let ended = false;
  const waitForTurn = (): Promise<void> => scheduler.wait(agents, agents);
  const open = ({ Agent, buildConnector }: Undici, options: Agent.Options, lookup?: LookupFunction): Agent => {
    const checked = lookup === undefined ? {} : { lookup, rejectUnauthorized: !acceptsAnyCertificate };
    const connectNow = buildConnector({ autoSelectFamily: true, ...checked });
    const connect: buildConnector.connector = async (target, callback) => {
      await waitForTurn();
      try {
        // undici derives the server name from it, which has no final dot (RFC 6066 §3); some servers reject one.
        const host = target.host?.replace(/\.(?=:|$)/, '') ?? '';
        const socket: unknown = connectNow({ ...target, host }, callback);
        if (socket instanceof TLSSocket) spreadHandshake(socket, scheduler);
      } catch (error) {
        callback(error as Error, null);
      }
    };
    const agent = new Agent({ ...options, connect, maxHeaderSize: maxResponseHeaderBytes });
    agents.add(agent);
    if (ended) void destroy(agent);
    return agent;
  };
  const destroy = async (agent: Agent): Promise<void> => {
    agents.delete(agent);
    await agent.destroy();
  };

  // One agent for the hosts in the settings: their connections stay open between lookups.
  let shared: Agent | null = null;
  const fetch: Platform['fetch'] = async (request) => {
    const undici = await loadUndici();
    if (undici === null) return { failure: 'overloaded' };
    shared ??= open(undici, {});
    const agent = shared;
    const result = await sendInTime(request, agent, request.timeoutMs);
    // The connection may be dead, which shows only as silence: the next request opens a new one.
    if ('failure' in result && result.failure === 'timeout' && agent === shared) {
      shared = null;
      void agent.close().then(() => agents.delete(agent));
    }
    return result;
  };

  const fetchPublic: Platform['fetchPublic'] = async (request) => {
    const began = performance.now();
    await waitForTurn();
    const addresses = await addressesOf(new URL(request.url).hostname, request.timeoutMs);
    if (typeof addresses === 'string') return { failure: addresses };
    const undici = await loadUndici();
    if (undici === null) return { failure: 'overloaded' };
    const leftMs = request.timeoutMs - (performance.now() - began);
    // On a busy machine, the addresses may arrive after the deadline.
    if (leftMs <= 0) return { failure: 'timeout' };
    // A new connection for each request, only to the checked addresses.
    const agent = open(undici, { pipelining: 0 }, createLookup(addresses));
    try {
      return await sendInTime(request, agent, leftMs);
    } finally {
      void destroy(agent);
    }
  };

  /** Closes every connection; later requests fail. */
  const end = async (): Promise<void> => {
    ended = true;
    await Promise.all([...agents].map(destroy));
  };
  return { fetch, fetchPublic, end };
}

/**
 * Many servers may respond at the same instant: after the first few handshakes of an event-loop iteration, the others are not read until
 * the next.
 */
function spreadHandshake(socket: TLSSocket, scheduler: Scheduler): void {
  const port = {
    iterationBytes: 0,
    share: socket,
    stopReading: () => stopReading(socket),
    resumeReading: () => startReading(socket),
  };
  const untrack = scheduler.track(port);
  const end = (): void => {
    untrack();
    scheduler.count(port, handshakeStreams, 0);
  };
  socket.once('secureConnect', end).once('error', end).once('close', untrack);
}

/** Sends a request, and ends on time: undici ignores its signal while it resolves a name or opens a connection. */
function sendInTime(request: OutboundRequest, agent: Agent, timeoutMs: number): Promise<OutboundResult> {
  // AbortSignal rejects fractions.
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const late = once(signal, 'abort').then((): OutboundResult => ({ failure: 'timeout' }));
  return Promise.race([sendRequest(request, agent, signal), late]);
}

async function sendRequest(
  { method, url, headers, body, maxBodyBytes }: OutboundRequest,
  agent: Agent,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const { origin, pathname, search } = new URL(url);
  let responses = 0;
  let headerBytes = 0;
  let exceeded: OutboundFailure | null = null;
  const receive = (given: Dispatcher.ResponseData['headers']) => {
    const received = headersOf(given);
    responses += 1;
    headerBytes += received.bytes;
    if (headerBytes > maxResponseHeaderBytes) exceeded = 'too_large';
    return received;
  };
  // undici bounds the headers of each response, but neither the number of informational ones nor their sum.
  const onInfo = ({ headers: given }: Pick<Dispatcher.ResponseData, 'headers'>): void => {
    receive(given);
    if (responses > maxInformationalResponses) exceeded = 'informational';
    // An error in this callback ends the request.
    if (exceeded !== null) throw new Error(exceeded);
  };
  try {
    const response = await agent.request({ origin, path: pathname + search, signal, method, headers, body, onInfo });
    const { bytes: _, ...received } = receive(response.headers);
    const bytes = await readBody(response, exceeded === null ? maxBodyBytes : 0);
    if (exceeded !== null) return { failure: exceeded };
    return bytes === null ? { failure: 'too_large' } : { ...received, status: response.statusCode, body: bytes };
  } catch (error) {
    return { failure: exceeded ?? failureFor(error as NodeJS.ErrnoException) };
  }
}

function headersOf(given: Dispatcher.ResponseData['headers']) {
  const headers: Record<string, string> = Object.create(null);
  const valuesOf = (name: string): readonly string[] => [given[name] ?? []].flat().map(decodeValue);
  const locations = new Set(valuesOf('location'));
  const hasSeveralLocations = locations.size > 1;
  let bytes = 0;
  for (const name of Object.keys(given)) {
    const values = valuesOf(name);
    for (const each of values) bytes += name.length + Buffer.byteLength(each) + 4;
    if (name !== 'set-cookie') headers[name] = [...(name === 'location' ? locations : values)].join(', ');
  }
  return { headers, setCookies: valuesOf('set-cookie'), ...(hasSeveralLocations && { hasSeveralLocations }), bytes };
}

/** OpenSSL's verification errors as Node names them, most others UNSPECIFIED, as a weak key; ERR_SSL_ codes are failed handshakes. */
const certificateCode =
  /^(?!ERR_SSL_).*(?:CERT|SIGNATURE|ISSUER|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME|UNSPECIFIED)/;

const failures: Readonly<Record<string, OutboundFailure>> = {
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'dns_failed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  // The fault is ours: no file descriptor is left for another socket.
  EMFILE: 'overloaded',
  ENFILE: 'overloaded',
};

/** Rethrows errors that are not network failures. */
function failureFor(error: NodeJS.ErrnoException): OutboundFailure {
  if (error.name === 'TimeoutError') return 'timeout';
  // A response that is not HTTP causes an error with a name and no code.
  if (typeof error.code !== 'string' && error.name !== 'HTTPParserError') throw error;
  const code = error.code ?? '';
  return failures[code] ?? (certificateCode.test(code) ? 'certificate' : 'unreachable');
}

/** Creates a `lookup` for net.connect that returns these addresses without a query: with `autoSelectFamily`, it requests all. */
function createLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, _options, callback) => {
    // Not immediately: an address without a route fails while tls.connect still sets up the socket, before anything handles its error.
    process.nextTick(() => callback(null, [...addresses]));
  };
}
