/** A platform for tests: without limits, with a clock that stands, and an outside that answers nobody. */
import type { Platform } from '../src/core/platform.ts';

export function platformOf(changed: Partial<Platform> = {}): Platform {
  return {
    limit: () => true,
    count: () => {},
    report: () => {},
    now: () => 0,
    fetch: async () => ({ failure: 'unreachable' }),
    fetchPublic: async () => ({ failure: 'unreachable' }),
    registryFile: async () => null,
    resolvers: [],
    ...changed,
  };
}
