/** A platform for tests: without limits, with a fixed clock, and without responses from other servers. */
import { type Platform, type RateDecision, unlimited } from '../src/core/platform.ts';

/** The decision of a rate limit that reports nothing else. */
export const decisionOf = (isAllowed: boolean): RateDecision => ({ ...unlimited, isAllowed });

export function platformOf(changed: Partial<Platform> = {}): Platform {
  return {
    limit: () => unlimited,
    count: () => {},
    countLookup: () => {},
    countToolCall: () => {},
    report: () => {},
    isDraining: () => false,
    now: () => 0,
    fetch: async () => ({ failure: 'unreachable' }),
    fetchPublic: async () => ({ failure: 'unreachable' }),
    bootstrapFile: async () => ({ failure: 'unavailable' }),
    connectBack: null,
    addressData: null,
    resolvers: [],
    ...changed,
  };
}
