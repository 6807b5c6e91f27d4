/** IANA's bootstrap files, fetched on first use and cached in this process. */
import type { BootstrapName, Platform } from '../../../core/platform.ts';
import { type BootstrapCopy, type BootstrapSource, renewCopy } from '../../../lookups/rdap/bootstrap.ts';

export function createBootstrapFiles(source: BootstrapSource): Platform['bootstrapFile'] {
  const copies = new Map<BootstrapName, BootstrapCopy>();
  const pending = new Map<BootstrapName, ReturnType<Platform['bootstrapFile']>>();

  async function renew(name: BootstrapName): ReturnType<Platform['bootstrapFile']> {
    const copy = await renewCopy(name, copies.get(name) ?? null, source);
    if ('failure' in copy) return copy;
    copies.set(name, copy);
    return copy.file;
  }

  return (name) => {
    const copy = copies.get(name);
    if (copy !== undefined && source.now() < copy.freshUntilMs) return Promise.resolve(copy.file);
    const renewal = pending.get(name) ?? renew(name).finally(() => pending.delete(name));
    pending.set(name, renewal);
    return renewal;
  };
}
