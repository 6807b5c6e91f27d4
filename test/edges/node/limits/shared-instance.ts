/** The limits of one instance that shares them through a store, with its log. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { RateName } from '../../../../src/core/limits.ts';
import type { Platform } from '../../../../src/core/platform.ts';
import type { RateStoreAddress } from '../../../../src/core/setting-values.ts';
import { type Bounds, bounds } from '../../../../src/edges/node/limits/bounds.ts';
import {
  allocateSharedMemory,
  createLimiter,
  type Limiter,
  openLimits,
} from '../../../../src/edges/node/limits/limits.ts';
import { openStoreLimits } from '../../../../src/edges/node/limits/store-limiter.ts';
import { createIdentify } from '../../../../src/ingress/limits/identity.ts';
import { createLog } from '../../../../src/runtime/log.ts';
import { settingsOf } from '../../../node-service.ts';
import { until } from '../../../until.ts';

const secret = 'a secret that is long enough to be one';
export const identify = createIdentify(secret);

export interface Instance {
  readonly isConnected: () => boolean;
  readonly decide: (ip: string, rates?: readonly RateName[]) => ReturnType<Platform['limit']>;
  readonly limit: (ip: string, rates?: readonly RateName[]) => boolean | Promise<boolean>;
  readonly local: Limiter;
  readonly lines: readonly string[];
  /** Waits for a line of the log that contains this text. */
  readonly waitForLine: (text: string) => Promise<unknown>;
}

/** Long enough that a busy machine does not find the store slow, except where the test is about that. */
export const patient: Partial<Bounds> = {
  storeTimeoutMs: 5_000,
  storeConnectMs: 5_000,
  storeRetryMs: 20,
  storeStableMs: 20,
};

export async function startInstance(
  t: TestContext,
  rateLimitStore: RateStoreAddress,
  changed = patient,
): Promise<Instance> {
  const lines: string[] = [];
  const settings = settingsOf({
    rateLimitStore,
    rateLimitSecret: secret,
    rateLimitGeneral: 60,
    rateLimitLookup: 10,
  });
  const log = createLog({ format: 'plain', level: 'info', write: (line) => lines.push(line) });
  const shared = await openStoreLimits(settings, { ...bounds, ...changed }, log);
  assert.ok(shared !== null);
  const local = createLimiter(openLimits(allocateSharedMemory(bounds, 1), { settings, bounds, thread: 1 }));
  t.after(shared.end);
  const limit = shared.limitTogether(local);
  const decide: Instance['decide'] = (ip, rates = ['general']) => limit(rates, identify(ip));
  return {
    decide,
    limit(ip, rates) {
      const decision = decide(ip, rates);
      return 'then' in decision ? decision.then(({ isAllowed }) => isAllowed) : decision.isAllowed;
    },
    isConnected: shared.isConnected,
    local,
    lines,
    waitForLine: (text) => until(() => lines.some((line) => line.includes(text))),
  };
}

export const connectedLine = 'rate-limit store connected; all instances count together';
export const lostLine = (reason: string): string =>
  `rate-limit store not available (${reason}); each instance counts for itself`;
