/** A platform for tests: without limits, with a fixed clock, and without responses from other servers. */
import type { Platform } from '../src/core/platform.ts';

export function platformOf(changed: Partial<Platform> = {}): Platform {
  return {
    limit: () => true,
    count: () => {},
    countLookup: () => {},
    report: () => {},
    isDraining: () => false,
    now: () => 0,
    fetch: async () => ({ failure: 'unreachable' }),
    fetchPublic: async () => ({ failure: 'unreachable' }),
    bootstrapFile: async () => null,
    addressData: null,
    resolvers: [],
    ...changed,
  };
}
