/** Outbound requests to resolvers, registries and sites, bounded in time and size; IANA's bootstrap files, cached. */
import { parseAddress } from '../../core/address.ts';
import { maxResponseHeaderBytes } from '../../core/limits.ts';
import type { BootstrapName, OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../core/platform.ts';
import { addressesOf, createDnsClient } from '../../lookups/dns/dns-lookup.ts';
import { literalOf, mayBePublic, mayContact } from '../../lookups/public-address.ts';
import { type BootstrapCopy, type BootstrapSource, renewCopy } from '../../lookups/rdap/bootstrap.ts';

/** `send` is the runtime's `fetch`. */
type Outside = Pick<Platform, 'now' | 'resolvers'> & { readonly send: typeof fetch; readonly userAgent: string };

/**
 * The address that Cloudflare reports for all Workers. If the Worker sends no `x-real-ip`, Cloudflare sets the client's address in it;
 * `cf-connecting-ip`, which follows it within a zone, cannot be set. https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-connecting-ip
 */
const workersAddress = '2a06:98c0:3600::103';

export function createOutbound({ send, now, resolvers, userAgent }: Outside): Pick<Platform, 'fetch' | 'fetchPublic'> {
  const fetchUrl: Platform['fetch'] = (request) => sendRequest(request, send);

  /**
   * Checks the addresses, but the runtime resolves the name again: a Worker cannot choose the address it connects to. So a family whose query
   * fails opens nothing that a changed response would not open as well.
   */
  const fetchPublic: Platform['fetchPublic'] = async (request) => {
    const deadline = now() + request.timeoutMs;
    const { hostname } = new URL(request.url);
    if (!mayBePublic(hostname)) return { failure: 'blocked' };
    if (literalOf(hostname) === null) {
      const platform = { fetch: fetchUrl, now, resolvers };
      const addresses = await addressesOf(hostname, createDnsClient(platform, userAgent, request.timeoutMs));
      if ('failure' in addresses) return addresses;
      const parsed = addresses.map(parseAddress);
      if (!parsed.every((address) => address !== null && mayContact(address))) return { failure: 'blocked' };
    }
    const timeoutMs = deadline - now();
    return timeoutMs > 0 ? fetchUrl({ ...request, timeoutMs }) : { failure: 'timeout' };
  };
  return { fetch: fetchUrl, fetchPublic };
}

async function sendRequest(request: OutboundRequest, send: typeof fetch): Promise<OutboundResult> {
  const { method, url, headers, body, timeoutMs, maxBodyBytes } = request;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      method,
      headers: { ...headers, 'x-real-ip': workersAddress },
      body: body && new Uint8Array(body),
      redirect: 'manual',
      // Cloudflare's cache is in front of every fetch of a Worker, and would store the request.
      cache: 'no-store',
      signal,
    });
    const received = receivedOf(response);
    if ('failure' in received || maxBodyBytes === 0) {
      discard(response.body);
      return received;
    }
    const bytes = await readAtMost(response.body, maxBodyBytes);
    return bytes === null ? { failure: 'too_large' } : { ...received, body: bytes };
  } catch (error) {
    return { failure: signal.aborted ? 'timeout' : failureFor(error) };
  }
}

const nothing = new Uint8Array();

function receivedOf(response: Response): OutboundResult {
  const failure = edgeFailures.get(response.status);
  if (failure !== undefined) return { failure };
  const headers: Record<string, string> = Object.create(null);
  const setCookies = response.headers.getSetCookie();
  let headerBytes = 0;
  for (const [name, value] of response.headers) {
    headerBytes += name.length + value.length + 4;
    if (name !== 'set-cookie') headers[name] = value;
  }
  if (headerBytes > maxResponseHeaderBytes) return { failure: 'too_large' };
  // The runtime joins repeated fields, and a URL contains no space.
  const locations = new Set(headers.location?.split(', '));
  if (headers.location !== undefined) headers.location = [...locations].join(', ');
  const several = locations.size > 1 ? ({ hasSeveralLocations: true } as const) : null;
  return { status: response.status, headers, setCookies, ...several, body: nothing };
}

/**
 * Statuses with which Cloudflare responds for a host that it cannot reach, or whose origin it cannot reach.
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const edgeFailures: ReadonlyMap<number, OutboundFailure> = new Map([
  [520, 'unreachable'],
  [521, 'unreachable'],
  [522, 'timeout'],
  [523, 'unreachable'],
  [524, 'timeout'],
  [525, 'unreachable'],
  [526, 'certificate'],
  // It found no address, although a resolver did.
  [530, 'dns_failed'],
]);

/** The runtime's errors have only a message. */
const failureFor = (error: unknown): OutboundFailure =>
  error instanceof Error && /certificate/i.test(error.message) ? 'certificate' : 'unreachable';

/** The part of the Cache API that is used. */
export interface RegistryCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

/**
 * Returns a function that reads IANA's bootstrap files, cached in this isolate and in the platform's cache; `keepAlive` lets work continue
 * after the response. Without a fresh copy, every request fetches its own: requests of one isolate must not wait for each other's work.
 */
export function createBootstrapFiles(
  source: BootstrapSource,
  openCache: () => Promise<RegistryCache>,
): (keepAlive: (work: Promise<unknown>) => void) => Platform['bootstrapFile'] {
  const copies = new Map<BootstrapName, BootstrapCopy>();
  const isFresh = ({ freshUntilMs }: BootstrapCopy): boolean => source.now() < freshUntilMs;
  return (keepAlive) => async (name) => {
    const stored = copies.get(name) ?? null;
    if (stored !== null && isFresh(stored)) return stored.file;
    const url = `${source.settings.rdapBootstrapUrl}/${name}.json`;
    const cache = await openCache();
    const cached = (await (await cache.match(url))?.json()) as BootstrapCopy | undefined;
    const found = cached !== undefined && isFresh(cached) ? cached : await renewCopy(name, cached ?? stored, source);
    if ('failure' in found) return found;
    copies.set(name, found);
    if (found === cached) return found.file;
    const freshSeconds = Math.ceil((found.freshUntilMs - source.now()) / 1000);
    // The parsed copy, so that no isolate parses the file again.
    const response = Response.json(found, { headers: { 'Cache-Control': `max-age=${freshSeconds}` } });
    keepAlive(cache.put(url, response));
    return found.file;
  };
}

/** Reads a stream; returns null above `maxBytes`, after discarding the rest up to `maxDiscardedBytes` in total. Rejects if it fails. */
export async function readAtMost(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
  maxDiscardedBytes = 0,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length <= maxBytes) chunks.push(part.value);
    else if (length > maxDiscardedBytes) {
      discard(reader);
      return null;
    }
  }
  if (length > maxBytes) return null;
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Cancels without waiting, and ignores errors. */
function discard(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => {});
}
