/** IANA's bootstrap files, fetched on first use and remembered: the one thing kept between calls. */
import type { Platform, RegistryFile, RegistryName } from '../../core/platform.ts';
import { maxRegistryFileBytes, parseRegistryFile } from '../../lookups/rdap/bootstrap.ts';

export interface RegistrySource {
  /** Where the files are, without a final slash. */
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly fetch: Platform['fetch'];
  readonly now: () => number;
}

interface Copy {
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
export function createRegistryFiles({ baseUrl, userAgent, fetch, now }: RegistrySource): Platform['registryFile'] {
  const copies = new Map<RegistryName, Copy>();
  const pending = new Map<RegistryName, Promise<RegistryFile | null>>();

  async function renew(name: RegistryName): Promise<RegistryFile | null> {
    const old = copies.get(name);
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
    const copy = 'failure' in response ? null : copyOf(response, old);
    if (copy !== null) copies.set(name, copy);
    else if (old !== undefined) copies.set(name, { ...old, freshUntilMs: now() + retryMs });
    return copies.get(name)?.file ?? null;
  }

  function copyOf(
    { status, headers, body }: Exclude<Awaited<ReturnType<typeof fetch>>, { failure: unknown }>,
    old: Copy | undefined,
  ): Copy | null {
    const freshUntilMs = now() + lifetimeMs(headers['cache-control']);
    if (status === 304 && old !== undefined) return { ...old, freshUntilMs };
    const file = status === 200 ? parseRegistryFile(new TextDecoder().decode(body)) : null;
    return file === null ? null : { file, etag: headers.etag ?? null, freshUntilMs };
  }

  return (name) => {
    const copy = copies.get(name);
    if (copy !== undefined && now() < copy.freshUntilMs) return Promise.resolve(copy.file);
    let renewal = pending.get(name);
    if (renewal === undefined) {
      renewal = renew(name).finally(() => pending.delete(name));
      pending.set(name, renewal);
    }
    return renewal;
  };
}

function lifetimeMs(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * 1000, minFreshMs), maxFreshMs);
}
