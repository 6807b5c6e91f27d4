/** Requests to a running service at addresses that are resolved once, so that a slow resolver delays only the first one. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from 'undici';
import { withoutBrackets } from '../core/address.ts';
import type { CommandFlags } from './commands.ts';

/** Requests a path of the service; `url` is that of the response, after redirects. */
export type Send = (path: string, signal: AbortSignal) => Promise<Pick<Response, 'ok' | 'status' | 'json' | 'url'>>;

export interface ServiceConnection {
  readonly host: string;
  /** The IP version that -4 or -6 selects; null without them. */
  readonly version: 4 | 6 | null;
  /** The addresses of the service, only of this version. */
  readonly addresses: readonly string[];
  readonly send: Send;
}

/** Longest time to resolve the name of the service: two attempts of the system's resolver at a server that does not respond. */
const maxResolutionMs = 10_500;

/** `base`: a URL without a path. Rejects with an Error with a message for the user if its host has no address. */
export async function connectService(
  base: string,
  flags: CommandFlags,
  opened: AsyncDisposableStack,
): Promise<ServiceConnection> {
  const host = withoutBrackets(new URL(base).hostname);
  const version = flags.ipv4 ? 4 : flags.ipv6 ? 6 : null;
  const addresses = await resolve(host, version);
  // Node's own fetch has no option for the addresses, or for any certificate.
  const undici = await import('undici');
  const dispatcher: Agent = new undici.Agent({
    connect: { rejectUnauthorized: flags.insecure !== true, lookup: lookupOf(addresses) },
  });
  opened.defer(() => dispatcher.destroy());
  const headers = { 'User-Agent': 'node' };
  return {
    host,
    version,
    addresses: addresses.map(({ address }) => address),
    send: (path, signal) => undici.fetch(base + path, { signal, dispatcher, headers }),
  };
}

async function resolve(host: string, version: ServiceConnection['version']): Promise<readonly LookupAddress[]> {
  const found = isIP(host) === 0 ? await lookUp(host) : [{ address: host, family: isIP(host) }];
  const chosen = found.filter(({ family }) => version === null || family === version);
  if (chosen.length === 0) throw new Error(`${host} has no IPv${version} address; omit -${version}`);
  return chosen;
}

async function lookUp(host: string): Promise<readonly LookupAddress[]> {
  const ended = new AbortController();
  const silence = delay(maxResolutionMs, null, { signal: ended.signal }).catch(() => null);
  const failure = (error: NodeJS.ErrnoException) => error;
  const found = await Promise.race([lookup(host, { all: true }).catch(failure), silence]);
  ended.abort();
  if (Array.isArray(found)) return found;
  // The system reports a resolver that does not respond and one that fails alike.
  if (found === null || found.code === 'EAI_AGAIN')
    throw new Error(
      `${host} was not resolved: this machine's DNS resolver does not respond, or failed; check the resolver, or use an IP address in the URL`,
    );
  if (found.code === 'ENOTFOUND')
    throw new Error(`${host} was not found in DNS; check the URL, or start the service there`);
  throw new Error(`${host} was not resolved: ${found.message}; check the URL`);
}

const lookupOf =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = addresses;
    if (all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
