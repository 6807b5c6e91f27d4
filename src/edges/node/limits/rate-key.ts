/** The keys of the limits by address: keyed hashes, so that no table contains an address. */
import { hash } from 'node:crypto';
import { clientNetworkOf } from '../../../core/address.ts';

/**
 * Returns the key that counts an address; IPv6 addresses of one /64 share it. For IPv6, the key of the /48 follows.
 * Null is an unknown address.
 */
export type RateKeyOf = (ip: string | null) => string;

const keyLength = 22;

/** Processes and threads that share a secret count together. `secret` is called for each key: it may change over time. */
export function createRateKeyOf(secret: () => string): RateKeyOf {
  const hashOf = (text: string): string => hash('sha256', secret() + text, 'base64').slice(0, keyLength);
  return (ip) => {
    const key = hashOf(ip === null ? '' : clientNetworkOf(ip));
    return ip?.includes(':') ? key + hashOf(clientNetworkOf(ip, 48)) : key;
  };
}

/** Divides a key into that of the client and that of its /48, which is null for IPv4. */
export function keysOf(rateKey: string): { readonly client: string; readonly network: string | null } {
  if (rateKey.length <= keyLength) return { client: rateKey, network: null };
  return { client: rateKey.slice(0, keyLength), network: rateKey.slice(keyLength) };
}
