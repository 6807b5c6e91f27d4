/** IANA's bootstrap files, cached in this isolate and in the platform's cache. */
import type { BootstrapName, Platform } from '../../core/platform.ts';
import { type BootstrapCopy, type BootstrapSource, renewCopy } from '../../lookups/rdap/bootstrap-copy.ts';
import type { RegistryCache } from './runtime.ts';

/** Lets work continue after the response. */
type KeepAlive = (work: Promise<unknown>) => void;

/** Without a fresh copy, every request fetches its own: requests of one isolate must not wait for each other's work. */
export function createBootstrapFiles(
  source: BootstrapSource,
  openCache: () => Promise<RegistryCache>,
): (keepAlive: KeepAlive) => Platform['bootstrapFile'] {
  const copies = new Map<BootstrapName, BootstrapCopy>();
  const isFresh = ({ freshUntilMs }: BootstrapCopy): boolean => source.now() < freshUntilMs;
  return (keepAlive) => async (name) => {
    const stored = copies.get(name) ?? null;
    if (stored !== null && isFresh(stored)) return stored.file;
    const url = `${source.settings.rdapBootstrapUrl}/${name}.json`;
    const cache = await openCache();
    const cached = (await (await cache.match(url))?.json()) as BootstrapCopy | undefined;
    const found = cached !== undefined && isFresh(cached) ? cached : await renewCopy(name, cached ?? stored, source);
    if (found === null) return null;
    copies.set(name, found);
    if (found !== cached) keepAlive(cache.put(url, toCacheResponse(found, source.now())));
    return found.file;
  };
}

/** The parsed copy, so that no isolate parses the file again. */
function toCacheResponse(copy: BootstrapCopy, nowMs: number): Response {
  const freshSeconds = Math.ceil((copy.freshUntilMs - nowMs) / 1000);
  return Response.json(copy, { headers: { 'Cache-Control': `max-age=${freshSeconds}` } });
}
