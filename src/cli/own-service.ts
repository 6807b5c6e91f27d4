/** Requests what a running service observes about this machine: for `me`, `port`, and `ip` without an address. */
import { networkInterfaces } from 'node:os';
import { isPublicAddress, parseAddress } from '../core/address.ts';
import { type ErrorCode, errors, ServiceError } from '../core/errors.ts';
import { hasRoute } from '../edges/node/outbound/route.ts';
import type { CommandFlags, LookupCommand } from './commands.ts';
import { connectService, type ServiceConnection } from './service-connection.ts';

const serviceTimeoutMs = 10_000;

/** The running services of one command line. The user chose their URLs, so they may be local; an empty one is PUBLIC_URL, or the service of this machine. */
export class OwnServices {
  readonly #command: LookupCommand;
  readonly #opened: AsyncDisposableStack;
  readonly #connections = new Map<string, Promise<ServiceConnection>>();

  constructor(command: LookupCommand, opened: AsyncDisposableStack) {
    this.#command = command;
    this.#opened = opened;
  }

  /** Whether a TCP port of this machine's public address is open, as a service sees it; rejects as `#request` does. */
  async readPort(url: string, port: string): Promise<object> {
    const { value } = await this.#request(url, `/api/port?${new URLSearchParams({ port })}`);
    return value;
  }

  /**
   * Requests what a service observes about this machine: the body of `/json`, the results of its tests, and the origin that responded. Rejects
   * as `#request` does.
   */
  async readCaller(url: string): Promise<object> {
    const { value, origin } = await this.#request(url, '/json');
    const { runTests } = await import('./me/client-tests.ts');
    const tests = await runTests(await this.#connect(chosenUrl(url, this.#command)));
    return { ...value, ...tests, service: origin };
  }

  /** An address as given; for a URL, or nothing, the public address that the service there observes. */
  async ownAddress(item: string): Promise<string> {
    if (item !== '' && !item.includes('://')) return item;
    const { value } = await this.#request(item, '/json');
    const { ip } = value as { readonly ip?: unknown };
    const address = typeof ip === 'string' ? parseAddress(ip) : null;
    if (typeof ip === 'string' && address !== null && isPublicAddress(address)) return ip;
    throw new Error(
      'the service does not know your public address; add the URL of a service on the internet, or set PUBLIC_URL',
    );
  }

  #connect(base: string): Promise<ServiceConnection> {
    const connection = this.#connections.get(base) ?? connectService(base, this.#command.flags, this.#opened);
    this.#connections.set(base, connection);
    return connection.catch(async (error: Error) => {
      throw (await isOffline(base)) ? new Error(noNetwork) : error;
    });
  }

  /**
   * The JSON of a path of a service, and the origin that responded, after redirects. Rejects with a ServiceError, or with an Error with a
   * message for the user.
   */
  async #request(url: string, path: string): Promise<{ readonly value: object; readonly origin: string }> {
    const base = chosenUrl(url, this.#command);
    const { send } = await this.#connect(base);
    const response = await send(path, AbortSignal.timeout(serviceTimeoutMs)).catch(async (error: Error) => {
      throw new Error(await describeFailure(base, reasonOf(error), this.#command.flags));
    });
    const value = await response.json().catch((error: Error) => {
      if (error instanceof SyntaxError) return null;
      throw new Error(`the response of ${base}${path} is incomplete: ${reasonOf(error)}; try again`);
    });
    if (response.ok && typeof value === 'object' && value !== null)
      return { value, origin: new URL(response.url).origin };
    if (isError(value)) throw new ServiceError(value.error, value.message);
    throw new Error(`${base}${path} returned ${response.status}, not the data of this service; check the URL`);
  }
}

/** Whether a response is an error of this service. */
const isError = (value: unknown): value is { readonly error: ErrorCode; readonly message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  typeof value.message === 'string' &&
  'error' in value &&
  Object.hasOwn(errors, String(value.error));

function chosenUrl(url: string, { settings }: LookupCommand): string {
  const { publicUrl, port, tlsPort } = settings;
  const local = port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
  return baseUrlOf(url || (publicUrl ?? local));
}

/** The URL of a service without a final slash; https if it has no scheme. Throws `invalid_url`. */
export function baseUrlOf(url: string): string {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  return base;
}

/** The first line of the cause; its code if it has no message, as for a host with several addresses. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message.split('\n')[0] || code || message;
}

/** "bad port": https://fetch.spec.whatwg.org/#port-blocking (2026-11-23). */
async function describeFailure(base: string, reason: string, { ipv4, ipv6 }: CommandFlags): Promise<string> {
  if (reason.includes('wrong version number'))
    return `${base} does not use TLS; use ${base.replace('https:', 'http:')}`;
  if (reason.includes('certificate'))
    return `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL, or -k`;
  if (await isOffline(base)) return noNetwork;
  if (reason === 'bad port')
    return `no response from ${base}: fetch() blocks this port, which belongs to another protocol; use another port for the service`;
  if (ipv4 || ipv6)
    return `no response from ${base} over IPv${ipv4 ? 4 : 6}: ${reason}; omit -${ipv4 ? 4 : 6}, or start the service`;
  return `no response from ${base}: ${reason}; start the service, or add its URL`;
}

const isOffline = async (base: string): Promise<boolean> => !isLocal(base) && !(await hasNetwork());

/** Whether a URL names this machine. */
export const isLocal = (base: string): boolean =>
  /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(new URL(base).hostname);

export const noNetwork = 'no network: this machine has no route to the internet; connect it and try again';

/**
 * Whether this machine has an address besides loopback and those that every link has. A router may have its only one on the loopback interface
 * (RFC 7404): then routes decide.
 */
export async function hasNetwork(): Promise<boolean> {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const isOfHost = ({ address }: { readonly address: string }): boolean =>
    !/^(?:127\.|::1$|fe80:|169\.254\.)/.test(address);
  const found = addresses.filter(isOfHost);
  if (found.some(({ internal }) => !internal)) return true;
  return found.length > 0 && (await Promise.all(rootServers.map(hasRoute))).includes(true);
}

/** a.root-servers.net, to which nothing is sent. */
const rootServers: readonly string[] = ['198.41.0.4', '2001:503:ba3e::2:30'];
