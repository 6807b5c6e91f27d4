/** Finds the RDAP servers for a query in IANA's bootstrap files (RFC 9224); copies of these are all that lookups store between requests. */
import { contains, parsePrefix } from '../../core/address.ts';
import { isObject, parseJson } from '../../core/json.ts';
import type {
  BootstrapFailure,
  BootstrapFile,
  BootstrapName,
  OutboundResponse,
  Platform,
} from '../../core/platform.ts';
import type { Settings } from '../../core/settings.ts';
import { outboundUserAgent } from '../outbound.ts';
import { timeOf } from './json.ts';
import type { RdapQuery } from './query.ts';

/** The largest of the files, for domains, has about 60 KB. */
export const maxBootstrapFileBytes = 2 ** 21;

/** Parses a bootstrap file; null if the text is not one. Omits services and URLs that cannot be used. */
export function parseBootstrapFile(text: string): BootstrapFile | null {
  if (text.length > maxBootstrapFileBytes) return null;
  const parsed = parseJson(text);
  if (!('value' in parsed) || !isObject(parsed.value) || !Array.isArray(parsed.value.services)) return null;
  const services = parsed.value.services.flatMap((service) => {
    if (!Array.isArray(service) || !Array.isArray(service[0]) || !Array.isArray(service[1])) return [];
    const entries = service[0].filter((entry) => typeof entry === 'string').map((entry) => entry.toLowerCase());
    const urls = service[1].map(baseUrl).filter((url) => url !== null);
    return entries.length > 0 && urls.length > 0 ? [{ entries, urls }] : [];
  });
  return { publication: timeOf(parsed.value.publication), services };
}

function baseUrl(text: unknown): string | null {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  return url.href.replace(/\/?$/, '/');
}

/** Base URLs of the service with the most specific entry: only its https URLs if it has any; empty if no entry matches. */
export function baseUrlsOf(query: RdapQuery, file: BootstrapFile): readonly string[] {
  let best: { readonly rank: number; readonly urls: readonly string[] } = { rank: -1, urls: [] };
  for (const { entries, urls } of file.services) {
    for (const entry of entries) {
      const rank = rankOf(query, entry);
      if (rank > best.rank) best = { rank, urls };
    }
  }
  const secure = best.urls.filter((url) => url.startsWith('https:'));
  return secure.length > 0 ? secure : best.urls;
}

/** How specifically an entry covers the query; -1 if it does not cover it. */
function rankOf(query: RdapQuery, entry: string): number {
  if (query.kind === 'domain')
    // Whole labels from the right, down to the root (RFC 9224 §4).
    return entry === '' || `.${query.name}`.endsWith(`.${entry}`) ? entry.length : -1;
  if (query.kind === 'ip') {
    const { first, length } = query.prefix;
    const prefix = parsePrefix(entry);
    return prefix !== null && prefix.length <= length && contains(prefix, first) ? prefix.length : -1;
  }
  const [, start, end = start] = /^(\d+)(?:-(\d+))?$/.exec(entry) ?? [];
  return Number(start) <= query.number && query.number <= Number(end) ? 0 : -1;
}

/** Whether a URL starts with a base URL that one of the files lists. */
export function isListed({ href }: Pick<URL, 'href'>, files: readonly BootstrapFile[]): boolean {
  return files.some(({ services }) => services.some(({ urls }) => urls.some((base) => href.startsWith(base))));
}

export interface BootstrapSource extends Pick<Platform, 'fetch' | 'now'> {
  readonly settings: Pick<Settings, 'rdapBootstrapUrl' | 'publicUrl'>;
}

export interface BootstrapCopy {
  readonly file: BootstrapFile;
  readonly etag: string | null;
  /** Until then the copy is used without a request. */
  readonly freshUntilMs: number;
}

const minuteMs = 60_000;

/** Bounds for the lifetime that the server states, which clients obey (RFC 9224 §8). */
const minFreshMs = 60 * minuteMs;
const maxFreshMs = 24 * 60 * minuteMs;
/** After a failure the old copy is used for this long before the next attempt. */
const retryMs = 5 * minuteMs;

const timeoutMs = 5_000;

/** Requests the successor of `old`; if the request fails, returns `old` with a short lifetime, or without one the failure. */
export async function renewCopy(
  name: BootstrapName,
  old: BootstrapCopy | null,
  { settings, fetch, now }: BootstrapSource,
): Promise<BootstrapCopy | { readonly failure: BootstrapFailure }> {
  const response = await fetch({
    method: 'GET',
    url: `${settings.rdapBootstrapUrl}/${name}.json`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': outboundUserAgent(settings.publicUrl),
      ...(old?.etag ? { 'if-none-match': old.etag } : {}),
    },
    body: null,
    timeoutMs,
    maxBodyBytes: maxBootstrapFileBytes,
  });
  const copy = 'failure' in response ? null : copyOf(response, old, now());
  if (copy !== null) return copy;
  if (old !== null) return { ...old, freshUntilMs: now() + retryMs };
  const failure = 'failure' in response ? response.failure : null;
  return { failure: failure === 'timeout' || failure === 'overloaded' ? failure : 'unavailable' };
}

function copyOf({ status, headers, body }: OutboundResponse, old: BootstrapCopy | null, nowMs: number) {
  const freshUntilMs = nowMs + lifetimeMs(headers['cache-control']);
  if (status === 304 && old !== null) return { ...old, freshUntilMs };
  const file = status === 200 ? parseBootstrapFile(new TextDecoder().decode(body)) : null;
  return file && { file, etag: headers.etag ?? null, freshUntilMs };
}

function lifetimeMs(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * 1000, minFreshMs), maxFreshMs);
}
