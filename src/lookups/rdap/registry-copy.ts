/** A copy of one of IANA's bootstrap files, and when it has to be renewed: the one thing kept between calls. */
import type { OutboundResponse, Platform, RegistryFile, RegistryName } from '../../core/platform.ts';
import { maxRegistryFileBytes, parseRegistryFile } from './bootstrap.ts';

export interface RegistrySource {
  /** Where the files are, without a final slash. */
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly fetch: Platform['fetch'];
  readonly now: () => number;
}

export interface RegistryCopy {
  readonly file: RegistryFile;
  readonly etag: string | null;
  /** Until then it is used without asking. */
  readonly freshUntilMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** RFC 9224 §8: a client obeys the file's own lifetime; between these bounds, whatever a server says. */
const minFreshMs = 60 * minuteMs;
const maxFreshMs = dayMs;
/** After a failure the copy at hand serves this long before the next attempt. */
const retryMs = 5 * minuteMs;

const timeoutMs = 5_000;

/** Asks for what comes after `old`; where there is none, `old` again for a while; null where there is neither. */
export async function renewedCopy(
  name: RegistryName,
  old: RegistryCopy | null,
  { baseUrl, userAgent, fetch, now }: RegistrySource,
): Promise<RegistryCopy | null> {
  const response = await fetch({
    method: 'GET',
    url: `${baseUrl}/${name}.json`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(old?.etag ? { 'if-none-match': old.etag } : {}),
    },
    body: null,
    timeoutMs,
    maxBodyBytes: maxRegistryFileBytes,
  });
  const copy = 'failure' in response ? null : copyOf(response, old, now());
  return copy ?? (old && { ...old, freshUntilMs: now() + retryMs });
}

function copyOf({ status, headers, body }: OutboundResponse, old: RegistryCopy | null, nowMs: number) {
  const freshUntilMs = nowMs + lifetimeMs(headers['cache-control']);
  if (status === 304 && old !== null) return { ...old, freshUntilMs };
  const file = status === 200 ? parseRegistryFile(new TextDecoder().decode(body)) : null;
  return file && { file, etag: headers.etag ?? null, freshUntilMs };
}

function lifetimeMs(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * 1000, minFreshMs), maxFreshMs);
}
