/** Requests that this process makes: to resolvers, registries and sites, bounded in time and size. */
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import type { OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../core/platform.ts';
import { textOf } from './headers.ts';
import { type HostAddress, publicAddresses } from './public-lookup.ts';

export interface Outbound extends Pick<Platform, 'fetch' | 'fetchPublic'> {
  /** Closes every connection; what is asked afterwards finds nobody. */
  readonly end: () => Promise<void>;
}

const maxHeaderBytes = 32_768;

export function createOutbound(): Outbound {
  const agents = new Set<Agent>();
  let ended = false;
  const open = (options: Agent.Options): Agent => {
    const agent = new Agent({ ...options, maxHeaderSize: maxHeaderBytes, autoSelectFamily: true });
    agents.add(agent);
    return agent;
  };
  const destroy = async (agent: Agent): Promise<void> => {
    agents.delete(agent);
    await agent.destroy();
  };

  // One for the hosts the operator named: their connections stay open between lookups.
  let shared = open({});
  const fetch: Platform['fetch'] = async (asked) => {
    const agent = shared;
    const result = await within(asked.timeoutMs, (signal) => exchange(asked, agent, signal));
    // Its connection may be dead, which only silence tells: the next request opens another.
    if ('failure' in result && result.failure === 'timeout' && agent === shared) {
      shared = open({});
      agent.close().then(() => agents.delete(agent));
    }
    return result;
  };

  const fetchPublic: Platform['fetchPublic'] = async (asked) => {
    const began = performance.now();
    const addresses = await publicAddresses(new URL(asked.url).hostname, asked.timeoutMs);
    if (typeof addresses === 'string') return { failure: addresses };
    if (ended) return { failure: 'unreachable' };
    // A connection of its own for each request, to the addresses that were checked and no others.
    const agent = open({ connect: { lookup: fixed(addresses) }, pipelining: 0 });
    try {
      const leftMs = asked.timeoutMs - (performance.now() - began);
      return await within(leftMs, (signal) => exchange(asked, agent, signal));
    } finally {
      destroy(agent);
    }
  };

  const end = async (): Promise<void> => {
    ended = true;
    await Promise.all([...agents].map(destroy));
  };
  return { fetch, fetchPublic, end };
}

/** undici does not heed its signal while a name is looked up or a connection opens: the race does. */
async function within(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<OutboundResult>,
): Promise<OutboundResult> {
  const controller = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<OutboundResult>();
  const timer = setTimeout(() => {
    resolve({ failure: 'timeout' });
    controller.abort();
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(asked: OutboundRequest, dispatcher: Agent, signal: AbortSignal): Promise<OutboundResult> {
  const { method, url, headers, body, maxBodyBytes } = asked;
  try {
    const response = await request(url, { dispatcher, signal, method, headers, body });
    const received = headersOf(response.headers);
    if (received === null) return dropped(response, { failure: 'too_large' });
    if (maxBodyBytes === 0) return dropped(response, { ...received, status: response.statusCode, body: nothing });
    const bytes = await bodyOf(response, maxBodyBytes);
    return bytes === null ? { failure: 'too_large' } : { ...received, status: response.statusCode, body: bytes };
  } catch (error) {
    return { failure: failureFor(error as NodeJS.ErrnoException) };
  }
}

const nothing = new Uint8Array();

function dropped<Result>({ body }: Dispatcher.ResponseData, result: Result): Result {
  body.on('error', () => {}).destroy();
  return result;
}

/** Null above the limit, which undici holds for HTTP/1 alone. */
function headersOf(given: Dispatcher.ResponseData['headers']) {
  const headers: Record<string, string> = Object.create(null);
  const setCookies: string[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(given)) {
    const values = [value ?? []].flat().map(textOf);
    for (const each of values) bytes += name.length + Buffer.byteLength(each) + 4;
    if (name === 'set-cookie') setCookies.push(...values);
    else headers[name] = values.join(', ');
  }
  return bytes > maxHeaderBytes ? null : { headers, setCookies };
}

async function bodyOf({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** OpenSSL's verification errors as Node names them; what begins with ERR_SSL_ is a failed handshake. */
const certificateCode = /^(?!ERR_SSL_).*(?:CERT|SIGNATURE|ISSUER|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME)/;

const failures: Readonly<Record<string, OutboundFailure>> = {
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
};

/** Throws what no network explains. */
function failureFor(error: NodeJS.ErrnoException): OutboundFailure {
  if (error.name === 'AbortError') return 'timeout';
  // What is no HTTP has a name and no code.
  if (typeof error.code !== 'string' && error.name !== 'HTTPParserError') throw error;
  const code = error.code ?? '';
  return failures[code] ?? (certificateCode.test(code) ? 'certificate' : 'unreachable');
}

/** A `lookup` of net.connect that knows these addresses and asks nobody. */
function fixed(addresses: readonly HostAddress[]): LookupFunction {
  const [first] = addresses;
  return (_hostname, { all }, callback) => {
    // Not at once: an address without a route fails while tls.connect still sets the socket up, and its error is nobody's.
    process.nextTick(() =>
      all ? callback(null, [...addresses]) : callback(null, first?.address ?? '', first?.family),
    );
  };
}
