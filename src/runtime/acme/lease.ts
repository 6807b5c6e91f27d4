/** The lease by which one instance at a time orders the certificate: a key of the store that expires unless its owner extends it. */
import { hash, randomUUID } from 'node:crypto';
import type { Send } from '../../edges/node/store/connection.ts';
import { AcmeFailure } from './failures.ts';

/** Lets the key expire after the milliseconds, 0 immediately, if its value is still the owner's; returns 0 otherwise. */
const script = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

const digest = hash('sha1', script);

/** Stores the script in the store, which discards it when it restarts. */
export const loadCommand: readonly string[] = ['SCRIPT', 'LOAD', script];

/** Right of one instance to order. */
export interface Lease {
  /** Aborts when another instance may order. */
  readonly signal: AbortSignal;
  /** Lets another instance order immediately. Never rejects. */
  release(): Promise<void>;
}

/** Attempts to extend a lease in its time. */
const extensions = 3;

/**
 * Returns the lease, which is extended until it is released or lost; null if another instance has it. `send` rejects while the store is not
 * available: the lease then stays valid as long as the store would keep it, measured from before the command that the store answered last.
 */
export async function acquireLease(send: Send, key: string, leaseMs: number): Promise<Lease | null> {
  const token = randomUUID();
  const lost = new AbortController();
  let extendedMs = performance.now();
  if ((await send(['SET', key, token, 'NX', 'PX', `${leaseMs}`])) !== 'OK') return null;
  const expire = (ms: number) => send(['EVALSHA', digest, '1', key, token, `${ms}`]);
  const end = (): void => {
    clearInterval(timer);
    lost.abort(new AcmeFailure('the lease in RATE_LIMIT_STORE was lost, so another instance may order'));
  };
  const extend = async (): Promise<void> => {
    const nowMs = performance.now();
    const isExtended = await expire(leaseMs).catch(() => null);
    if (isExtended === 1) extendedMs = nowMs;
    // The next attempt would come too late.
    else if (isExtended !== null || nowMs + leaseMs / extensions >= extendedMs + leaseMs) end();
  };
  const timer = setInterval(() => void extend(), leaseMs / extensions).unref();
  return {
    signal: lost.signal,
    async release() {
      end();
      await expire(0).catch(() => {});
    },
  };
}
