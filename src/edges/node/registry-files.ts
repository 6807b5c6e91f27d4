/** IANA's bootstrap files, fetched on first use and remembered in this process. */
import type { Platform, RegistryFile, RegistryName } from '../../core/platform.ts';
import { type RegistryCopy, type RegistrySource, renewedCopy } from '../../lookups/rdap/registry-copy.ts';

export function createRegistryFiles(source: RegistrySource): Platform['registryFile'] {
  const copies = new Map<RegistryName, RegistryCopy>();
  const pending = new Map<RegistryName, Promise<RegistryFile | null>>();

  async function renew(name: RegistryName): Promise<RegistryFile | null> {
    const copy = await renewedCopy(name, copies.get(name) ?? null, source);
    if (copy !== null) copies.set(name, copy);
    return copy?.file ?? null;
  }

  return (name) => {
    const copy = copies.get(name);
    if (copy !== undefined && source.now() < copy.freshUntilMs) return Promise.resolve(copy.file);
    let renewal = pending.get(name);
    if (renewal === undefined) {
      renewal = renew(name).finally(() => pending.delete(name));
      pending.set(name, renewal);
    }
    return renewal;
  };
}
