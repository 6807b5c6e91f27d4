/** IANA's bootstrap files, remembered in this isolate and in the platform's cache. */
import type { Platform, RegistryName } from '../../core/platform.ts';
import { type RegistryCopy, type RegistrySource, renewedCopy } from '../../lookups/rdap/registry-copy.ts';
import type { RegistryCache } from './runtime.ts';

/** What a request lends: work that outlives its answer. */
type KeepAlive = (work: Promise<unknown>) => void;

/** Every caller asks for itself where there is no fresh copy: requests of one isolate may not wait for each other's work. */
export function createRegistryFiles(
  source: RegistrySource,
  openCache: () => Promise<RegistryCache>,
): (keepAlive: KeepAlive) => Platform['registryFile'] {
  const copies = new Map<RegistryName, RegistryCopy>();
  const isFresh = ({ freshUntilMs }: RegistryCopy): boolean => source.now() < freshUntilMs;
  return (keepAlive) => async (name) => {
    const held = copies.get(name) ?? null;
    if (held !== null && isFresh(held)) return held.file;
    const url = `${source.baseUrl}/${name}.json`;
    const cache = await openCache();
    const cached = (await (await cache.match(url))?.json()) as RegistryCopy | undefined;
    const found = cached !== undefined && isFresh(cached) ? cached : await renewedCopy(name, cached ?? held, source);
    if (found === null) return null;
    copies.set(name, found);
    if (found !== cached) keepAlive(cache.put(url, stored(found, source.now())));
    return found.file;
  };
}

/** Already read, so that no isolate reads it again. */
function stored(copy: RegistryCopy, nowMs: number): Response {
  const freshSeconds = Math.ceil((copy.freshUntilMs - nowMs) / 1000);
  return Response.json(copy, { headers: { 'Cache-Control': `max-age=${freshSeconds}` } });
}
