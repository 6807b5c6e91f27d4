/** Outbound requests to resolvers, registries and sites, bounded in time and size. */
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { maxInformationalResponses, maxResponseHeaderBytes } from '../../../core/limits.ts';
import type { OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../../core/platform.ts';
import { ingressBounds } from '../../../ingress/bounds.ts';
import { Scheduler } from '../../../ingress/schedule/scheduler.ts';
import { readBody } from './body.ts';
import { createHandshakes } from './handshakes.ts';
import { requestHead } from './head-request.ts';
import { type allPublicAddresses, type HostAddress, publicAddresses } from './public-lookup.ts';
import { headersOf } from './received-headers.ts';
import { ownFailureOf } from './route.ts';
import { boundConnection, createBoundedContext } from './tls-bounds.ts';

interface OutboundOptions {
  /** Decides when a request begins, when it opens its connection, and when its TLS handshake ends; if absent, one of its own. */
  readonly scheduler?: Scheduler;
  /** Resolves a host that `fetchPublic` or `handshakes` connects to; if absent, to public addresses only. */
  readonly addressesOf?: typeof publicAddresses;
  /** Certificates that `handshakes` trusts besides the roots of Node, PEM. */
  readonly ca?: readonly string[];
  /** Whether `fetchPublic` accepts certificates that are not valid. */
  readonly acceptsAnyCertificate?: boolean;
}

type Undici = typeof import('./undici.ts');

/**
 * Loads what sends requests, which a command that sends none does not need. Null if it cannot be loaded because no file descriptor is left;
 * the next call tries again.
 */
export const loadUndici = (): Promise<Undici | null> => import('./undici.ts').catch(() => null);

export function createOutbound({
  scheduler = new Scheduler(ingressBounds),
  addressesOf,
  ca = [],
  acceptsAnyCertificate = false,
}: OutboundOptions = {}) {
  const agents = new Set<Agent>();
  let ended = false;
  const waitForTurn = (): Promise<void> => scheduler.wait(agents, agents);
  let context: SecureContext | null = null;
  const contextOf = (): SecureContext => {
    context ??= createBoundedContext();
    return context;
  };
  const connecting = { scheduler, waitForTurn, contextOf };
  /** Of `fetchPublic`. */
  const checkedBy = (lookup: LookupFunction) => ({ lookup, rejectUnauthorized: !acceptsAnyCertificate });
  const open = (undici: Undici, options: Agent.Options, lookup?: LookupFunction): Agent => {
    const connect = createConnector(undici, lookup === undefined ? {} : checkedBy(lookup), connecting);
    const agent = new undici.Agent({ ...options, connect, maxHeaderSize: maxResponseHeaderBytes });
    agents.add(agent);
    if (ended) void destroy(agent);
    return agent;
  };
  const destroy = async (agent: Agent): Promise<void> => {
    agents.delete(agent);
    await agent.destroy();
  };

  // One agent for the hosts in the settings: their connections stay open between lookups.
  let current: Agent | null = null;
  const fetch: Platform['fetch'] = async (request) => {
    const undici = await loadUndici();
    if (undici === null) return { failure: 'overloaded' };
    current ??= open(undici, {});
    const agent = current;
    const result = await endInTime((signal) => sendRequest(request, agent, signal), request.timeoutMs);
    // The connection may be dead, which shows only as silence: the next request opens a new one.
    if ('failure' in result && result.failure === 'timeout' && agent === current) {
      current = null;
      void agent.close().then(() => agents.delete(agent));
    }
    return result;
  };

  const fetchPublic: Platform['fetchPublic'] = async (request) => {
    const began = performance.now();
    await waitForTurn();
    const addresses = await (addressesOf ?? publicAddresses)(new URL(request.url).hostname, request.timeoutMs);
    if (typeof addresses === 'string') return { failure: addresses };
    const undici = await loadUndici();
    if (undici === null) return { failure: 'overloaded' };
    const leftMs = (): number => request.timeoutMs - (performance.now() - began);
    const lookup = createLookup(addresses);
    // A new connection for each request, only to the checked addresses.
    const agent = open(undici, { pipelining: 0 }, lookup);
    try {
      const result = await endInTime((signal) => sendRequest(request, agent, signal), leftMs());
      if (!('failure' in result) || result.failure !== 'malformed' || request.maxBodyBytes > 0) return result;
      const connect = createConnector(undici, { ...checkedBy(lookup), allowH2: false }, connecting);
      return await endInTime((signal) => readHead(request, connect, signal), leftMs());
    } finally {
      void destroy(agent);
    }
  };

  const allAddressesOf = addressesOf && completeAddresses(addressesOf);
  const watch = (socket: TLSSocket): void => boundConnection(socket, scheduler);
  const { handshakes, end: endHandshakes } = createHandshakes({ allAddressesOf, ca, waitForTurn, watch });

  /** Closes every connection; later requests fail. */
  const end = async (): Promise<void> => {
    ended = true;
    endHandshakes();
    await Promise.all([...agents].map(destroy));
  };
  return { fetch, fetchPublic, handshakes, end };
}

interface Connecting {
  readonly scheduler: Scheduler;
  readonly waitForTurn: () => Promise<void>;
  /** The settings of all TLS connections, made for the first one. */
  readonly contextOf: () => SecureContext;
}

/** Opens connections when their turn comes. */
function createConnector(
  { buildConnector }: Undici,
  options: buildConnector.BuildOptions,
  { scheduler, waitForTurn, contextOf }: Connecting,
): buildConnector.connector {
  const connectNow = buildConnector({ autoSelectFamily: true, secureContext: contextOf(), ...options });
  return async (target, callback) => {
    await waitForTurn();
    try {
      // undici derives the server name from it, which has no final dot (RFC 6066 §3); some servers reject one.
      const host = target.host?.replace(/\.(?=:|$)/, '') ?? '';
      const socket: unknown = connectNow({ ...target, host }, callback);
      if (socket instanceof TLSSocket) boundConnection(socket, scheduler);
    } catch (error) {
      callback(error as Error, null);
    }
  };
}

/** The addresses of a function that returns all of them. */
const completeAddresses =
  (addressesOf: typeof publicAddresses) =>
  async (host: string, timeoutMs: number): ReturnType<typeof allPublicAddresses> => {
    const addresses = await addressesOf(host, timeoutMs);
    return typeof addresses === 'string' ? addresses : { addresses, unknownVersions: [], omitted: 0 };
  };

/** Ends on time: undici ignores its signal while it resolves a name or opens a connection. On a busy machine, no time may be left. */
function endInTime(send: (signal: AbortSignal) => Promise<OutboundResult>, timeoutMs: number): Promise<OutboundResult> {
  if (timeoutMs <= 0) return Promise.resolve({ failure: 'timeout' });
  // AbortSignal rejects fractions.
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const late = once(signal, 'abort').then((): OutboundResult => ({ failure: 'timeout' }));
  return Promise.race([send(signal), late]);
}

const readHead = (...args: Parameters<typeof requestHead>): Promise<OutboundResult> =>
  requestHead(...args).catch(resultFor);

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
    return exceeded === null ? resultFor(error as NodeJS.ErrnoException) : { failure: exceeded };
  }
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
  ERR_TLS_OVERHEAD: 'too_large',
  // More than `maxCertificateBytes`.
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: 'too_large',
  // Several lengths, or one that is not that of the body, which nobody reads.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'malformed',
  // The fault is ours: no file descriptor is left for another socket.
  EMFILE: 'overloaded',
  ENFILE: 'overloaded',
};

/** Rethrows errors that are not network failures. */
async function resultFor(error: NodeJS.ErrnoException): Promise<OutboundResult> {
  const failure = failureFor(error);
  if (failure !== 'unreachable') return { failure };
  const attempts: readonly Attempt[] = error instanceof AggregateError ? error.errors : [error];
  const noRouteOver = new Set<4 | 6>();
  for (const { code = '', address = '' } of attempts) {
    const own = await ownFailureOf(code, address);
    if (own === 'overloaded') return { failure: own };
    if (own === 'no_route') noRouteOver.add(versionOf(address));
  }
  return { failure, noRouteOver: [...noRouteOver] };
}

/** The error of a connection to one address. */
type Attempt = NodeJS.ErrnoException & { readonly address?: string };

const versionOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

/** Rethrows errors that are not network failures. */
function failureFor(error: NodeJS.ErrnoException): OutboundFailure {
  if (error.name === 'TimeoutError') return 'timeout';
  if (error.name === 'HTTPParserError') return 'malformed';
  if (typeof error.code !== 'string') throw error;
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
