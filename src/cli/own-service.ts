/** Requests what a running service observes about this machine: for `me`, `port`, and `ip` without an address. */
import { networkInterfaces } from 'node:os';
import { isPublicAddress, parseAddress } from '../core/address.ts';
import { type ErrorCode, errors, ServiceError } from '../core/errors.ts';
import type { LookupCommand } from './commands.ts';

const serviceTimeoutMs = 10_000;

/** The body of `/json` of a service; rejects as `requestService` does. */
const readService = (url: string, command: LookupCommand): Promise<object> => requestService(url, '/json', command);

/** Whether a TCP port of this machine's public address is open, as a service sees it; rejects as `requestService` does. */
export const readPort = (url: string, port: string, command: LookupCommand): Promise<object> =>
  requestService(url, `/api/port?${new URLSearchParams({ port })}`, command);

/**
 * The JSON of a path of a service. The user chose its URL, so it may be local; an empty one is PUBLIC_URL, or the service of this machine.
 * Rejects with a ServiceError, or with an Error with a message for the user.
 */
async function requestService(url: string, path: string, command: LookupCommand): Promise<object> {
  const base = chosenUrl(url, command);
  const signal = AbortSignal.timeout(serviceTimeoutMs);
  const response = await send(base + path, command.flags, signal).catch((error: Error) => {
    throw new Error(describeFailure(base, reasonOf(error)));
  });
  const value = await response.json().catch((error: Error) => {
    if (error instanceof SyntaxError) return null;
    throw new Error(`the response of ${base}${path} is incomplete: ${reasonOf(error)}; try again`);
  });
  if (response.ok && typeof value === 'object' && value !== null) return value;
  if (isError(value)) throw new ServiceError(value.error, value.message);
  throw new Error(`${base}${path} returned ${response.status}, not the data of this service; check the URL`);
}

/** Whether a response is an error of this service. */
const isError = (value: unknown): value is { readonly error: ErrorCode; readonly message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  typeof value.message === 'string' &&
  'error' in value &&
  Object.hasOwn(errors, String(value.error));

/** Requests what a service observes about this machine: the body of `/json` and the results of its tests. Rejects as `requestService` does. */
export async function readCaller(url: string, command: LookupCommand): Promise<object> {
  const value = await readService(url, command);
  const base = chosenUrl(url, command);
  const { runTests } = await import('./me/client-tests.ts');
  const tests = await runTests((path, signal) => send(base + path, command.flags, signal));
  return { ...value, ...tests };
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

function chosenUrl(url: string, { settings }: LookupCommand): string {
  const { publicUrl, port, tlsPort } = settings;
  const local = port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
  return baseUrlOf(url || (publicUrl ?? local));
}

function baseUrlOf(url: string): string {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  return base;
}

async function send(
  url: string,
  { insecure = false }: LookupCommand['flags'],
  signal: AbortSignal,
): Promise<Pick<Response, 'ok' | 'status' | 'json'>> {
  if (!insecure) return fetch(url, { signal });
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

/** "bad port": https://fetch.spec.whatwg.org/#port-blocking (2026-11-23). */
function describeFailure(base: string, reason: string): string {
  if (reason.includes('wrong version number')) return `${base} does not use TLS; use an http:// URL`;
  if (reason.includes('certificate'))
    return `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL, or -k`;
  if (!hasNetwork() && !isLocal(base)) return noNetwork;
  if (reason === 'bad port')
    return `no response from ${base}: fetch() blocks this port, which belongs to another protocol; use another port for the service`;
  return `no response from ${base}: ${reason}; start the service, or add its URL`;
}

/** Whether a URL names this machine. */
export const isLocal = (base: string): boolean =>
  /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(new URL(base).hostname);

export const noNetwork = 'no network: this machine has no IP address besides loopback; connect it and try again';

/** Whether this machine has an address besides loopback and those that every link has. */
export function hasNetwork(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/.test(address));
}
