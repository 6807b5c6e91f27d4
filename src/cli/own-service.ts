/** What a running service observes of this machine: for `me`, and for `ip` without an address. */
import { networkInterfaces } from 'node:os';
import { isPublicAddress, parseAddress } from '../core/address.ts';
import { ServiceError } from '../core/errors.ts';
import type { LookupCommand } from './commands.ts';

const serviceTimeoutMs = 10_000;

/**
 * The body of `/json` of a service. The user chose its URL, so it may be local; an empty one is PUBLIC_URL, or the service of this machine.
 * Rejects with a ServiceError, or with an Error with a message for the user.
 */
export async function readService(url: string, { settings, flags }: LookupCommand): Promise<object> {
  const { publicUrl, port, tlsPort } = settings;
  const local = port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
  const base = baseUrlOf(url || (publicUrl ?? local));
  const response = await send(`${base}/json`, flags.insecure ?? false).catch((error: Error) => {
    throw new Error(describeFailure(base, reasonOf(error)));
  });
  const value = await response.json().catch(() => null);
  if (!response.ok || typeof value !== 'object' || value === null)
    throw new Error(`${base}/json returned ${response.status}, not the data of this service; check the URL`);
  return value;
}

/** An address as given; for a URL, or nothing, the public address that the service there observes. */
export async function ownAddress(item: string, command: LookupCommand): Promise<string> {
  if (item !== '' && !item.includes('://')) return item;
  const { ip } = (await readService(item, command)) as { readonly ip?: unknown };
  const address = typeof ip === 'string' ? parseAddress(ip) : null;
  if (typeof ip === 'string' && address !== null && isPublicAddress(address)) return ip;
  throw new Error(
    'the service does not know your public address; add the URL of a service on the internet, or set PUBLIC_URL',
  );
}

function baseUrlOf(url: string): string {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  return base;
}

async function send(url: string, acceptsAnyCertificate: boolean): Promise<Pick<Response, 'ok' | 'status' | 'json'>> {
  const signal = AbortSignal.timeout(serviceTimeoutMs);
  if (!acceptsAnyCertificate) return fetch(url, { signal });
  // Node's own fetch has no option for it.
  const { Agent, fetch: fetchWith } = await import('undici');
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const response = await fetchWith(url, { signal, dispatcher, headers: { 'User-Agent': 'node' } });
    const body = await response.text();
    return { ok: response.ok, status: response.status, json: async () => JSON.parse(body) };
  } finally {
    await dispatcher.close();
  }
}

/** The first line of the cause; its code if it has no message, as for a host with several addresses. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message.split('\n')[0] || code || message;
}

function describeFailure(base: string, reason: string): string {
  if (reason.includes('wrong version number')) return `${base} does not use TLS; use an http:// URL`;
  if (reason.includes('certificate'))
    return `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL, or -k`;
  if (!hasNetwork() && !isLocal(base)) return noNetwork;
  return `no response from ${base}: ${reason}; start the service, or add its URL`;
}

const isLocal = (base: string): boolean => /^(?:localhost|127\.|\[::1\])/.test(new URL(base).hostname);

export const noNetwork = 'no network: this machine has no IP address besides loopback; connect it and try again';

/** Whether this machine has an address besides loopback and those that every link has. */
export function hasNetwork(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/.test(address));
}
