/** A copy of one of IANA's bootstrap files and its expiry: the only data of a lookup stored between requests. */
import type { BootstrapFile, BootstrapName, OutboundResponse, Platform } from '../../core/platform.ts';
import type { Settings } from '../../core/settings.ts';
import { outboundUserAgent } from '../outbound.ts';
import { maxBootstrapFileBytes, parseBootstrapFile } from './bootstrap.ts';

export interface BootstrapSource {
  readonly settings: Pick<Settings, 'rdapBootstrapUrl' | 'publicUrl'>;
  readonly fetch: Platform['fetch'];
  readonly now: () => number;
}

export interface BootstrapCopy {
  readonly file: BootstrapFile;
  readonly etag: string | null;
  /** Until then the copy is used without a request. */
  readonly freshUntilMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Bounds for the lifetime that the server states, which clients obey (RFC 9224 §8). */
const minFreshMs = 60 * minuteMs;
const maxFreshMs = dayMs;
/** After a failure the old copy is used for this long before the next attempt. */
const retryMs = 5 * minuteMs;

const timeoutMs = 5_000;

/** Requests the successor of `old`; if the request fails, returns `old` with a short lifetime, or null without one. */
export async function renewCopy(
  name: BootstrapName,
  old: BootstrapCopy | null,
  { settings, fetch, now }: BootstrapSource,
): Promise<BootstrapCopy | null> {
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
  return copy ?? (old && { ...old, freshUntilMs: now() + retryMs });
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
