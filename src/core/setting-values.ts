/** Parsers of settings: each takes the text of a value and throws an Error that states what the value must be. */
import { type Prefix, parseAddress, parsePrefix, unmapped } from './address.ts';
import { networks } from './networks.ts';

export function parseOptional(value: string): string | null {
  return value === '' ? null : value;
}

export function parseText(value: string): string {
  return value;
}

export function parseFiles(value: string): readonly string[] | null {
  return value === '' ? null : value.split(',').map((file) => file.trim());
}

export function parseNetworks(value: string): readonly Prefix[] {
  return splitList(value).flatMap((each) => {
    const known = Object.hasOwn(networks, each) ? networks[each] : undefined;
    if (known !== undefined) return known;
    const prefix = unmapPrefix(parsePrefix(each));
    if (prefix === null)
      throw new Error('must be addresses, CIDR blocks, loopback, private or cloudflare, comma-separated');
    if (prefix.length === 0)
      throw new Error('must not cover all addresses: a trusted proxy can set any client address');
    return [prefix];
  });
}

/** IPv4-mapped IPv6 as IPv4, the form in which peers are compared. */
function unmapPrefix(prefix: Prefix | null): Prefix | null {
  const first = prefix && unmapped(prefix.first);
  return first?.version === 4 && prefix?.first.version === 6 ? { first, length: prefix.length - 96 } : prefix;
}

export function parseHeaderName(value: string): string {
  // RFC 9110 §5.6.2
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(value)) throw new Error('must be a header name');
  return value.toLowerCase();
}

/** Sets of headers that a trusted proxy may set besides the client address. */
export type EdgeHeaderSet = 'x-edge' | 'cf';

export function parseEdgeHeaderSets(value: string): readonly EdgeHeaderSet[] {
  return splitList(value).map((each) => {
    if (each !== 'x-edge' && each !== 'cf') throw new Error('must be x-edge, cf or both, comma-separated');
    return each;
  });
}

export function parseSwitch(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new Error('must be on or off');
  return value === 'on';
}

export function parseLogFormat(value: string): 'plain' | 'json' {
  if (value !== 'plain' && value !== 'json') throw new Error('must be plain or json');
  return value;
}

/** From the most to the least important. */
export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];

export function parseLogLevel(value: string): LogLevel {
  const level = logLevels.find((each) => each === value);
  if (level === undefined) throw new Error('must be error, warn or info');
  return level;
}

function splitList(value: string): string[] {
  return value === '' ? [] : value.split(',').map((each) => each.trim());
}

const maxPort = 65_535;
const maxCount = 1_000_000_000;

/** 0: the system chooses a free port. null: off. */
export function parsePort(value: string): number | null {
  if (value === 'off') return null;
  return parseWholeNumber(value, maxPort, `must be a port from 0 to ${maxPort}, or off`);
}

export function parseCount(value: string): number {
  return parseWholeNumber(value, maxCount, `must be a whole number from 0 to ${maxCount}`);
}

const maxThreads = 256;

/** `auto`: as many as the process may use cores. */
export function parseThreads(value: string): number | 'auto' {
  if (value === 'auto') return value;
  const problem = `must be a whole number from 1 to ${maxThreads}, or auto`;
  const count = parseWholeNumber(value, maxThreads, problem);
  if (count === 0) throw new Error(problem);
  return count;
}

/** Longer than any load balancer needs to notice. */
const maxDelaySeconds = 3600;

export function parseDelay(value: string): number {
  return parseWholeNumber(value, maxDelaySeconds, `must be a whole number of seconds from 0 to ${maxDelaySeconds}`);
}

function parseWholeNumber(value: string, max: number, rule: string): number {
  if (!/^\d{1,10}$/.test(value) || Number(value) > max) throw new Error(rule);
  return Number(value);
}

export function parseOptionalCount(value: string): number | null {
  return value === '' ? null : parseCount(value);
}

export function parseOptionalUrl(value: string): string | null {
  return value === '' ? null : parseUrl(value);
}

/** Scheme, host and port. */
export function parseOptionalOrigin(value: string): string | null {
  if (value === '') return null;
  const origin = value.replace(/\/+$/, '');
  if (!isHttpUrl(origin) || origin.split('/').length > 3)
    throw new Error('must be an http or https URL without a path');
  return origin.toLowerCase();
}

/** The operator's contact, as the Contact Object of OpenAPI has it. */
export type Contact = { readonly email: string } | { readonly url: string };

const emailPattern = /^[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i;

export function parseContact(value: string): Contact | null {
  if (value === '') return null;
  if (emailPattern.test(value)) return { email: value };
  if (isHttpUrl(value) && /^https/i.test(value)) return { url: value };
  throw new Error('must be an email address or an https URL without a query');
}

export function parseUrls(value: string): readonly string[] {
  return value.split(',').map((each) => parseUrl(each.trim()));
}

export function parseOptionalEmail(value: string): string | null {
  if (value !== '' && !emailPattern.test(value)) throw new Error('must be an email address');
  return value === '' ? null : value;
}

/** Names in one certificate of Let's Encrypt. */
const maxDomains = 100;
const domainPattern = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])$/;

/** Domain names in lower case, each once. */
export function parseDomains(value: string): readonly string[] {
  const domains = [...new Set(splitList(value.toLowerCase()))];
  if (domains.length > maxDomains || !domains.every((each) => domainPattern.test(each)))
    throw new Error(
      `must be up to ${maxDomains} domain names, comma-separated, without wildcards and IP addresses; international names begin with xn--`,
    );
  return domains;
}

/** Keeps a final slash, which some directories have. */
export function parseHttpsUrl(value: string): string {
  if (!isHttpUrl(value) || !/^https/i.test(value)) throw new Error('must be an https URL without a query');
  return value;
}

const urlPattern = /^https?:\/\/([\w.~-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:\/[^\s?#"<>\\]*)?$/i;

export function parseUrl(value: string): string {
  if (!isHttpUrl(value)) throw new Error('must be an http or https URL without a query');
  return value.replace(/\/+$/, '');
}

function isHttpUrl(value: string): boolean {
  const [, host, port = 0] = urlPattern.exec(value) ?? [];
  if (host === undefined || Number(port) > maxPort) return false;
  // Brackets or a last label of digits make the host an address (WHATWG URL, "ends in a number checker").
  const isAddress = /^\[|(?:^|\.)\d+$/.test(host);
  return !isAddress || parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== null;
}

export function parseAutoUpdate(value: string): 'monthly' | null {
  if (value !== 'monthly' && value !== 'off') throw new Error('must be monthly or off');
  return value === 'monthly' ? value : null;
}

/** A Redis or Valkey server. */
export interface RateStoreAddress {
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly isTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: number;
}

const rateStorePattern =
  /^(?<scheme>rediss?|valkeys?):\/\/(?:(?<user>[^\s:@/]*)(?::(?<password>[^\s:@/]*))?@)?(?<host>[\w.-]+|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?(?:\/(?<database>\d{0,3}))?$/i;
const defaultRateStorePort = 6379;

export function parseRateStore(value: string): RateStoreAddress | null {
  if (value === '') return null;
  const [, path] = /^unix:\/\/(\/[^?#]+)$/.exec(value) ?? [];
  if (path !== undefined) return { target: { path }, isTls: false, user: null, password: null, database: 0 };
  const rule =
    'must be redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path; percent-encode special characters';
  const { scheme, user, password, host, port, database } = rateStorePattern.exec(value)?.groups ?? {};
  if (scheme === undefined || host === undefined || Number(port ?? 1) > maxPort || port === '0') throw new Error(rule);
  return {
    target: { host: host.replace(/^\[(.*)\]$/, '$1'), port: port === undefined ? defaultRateStorePort : Number(port) },
    isTls: /^(?:rediss|valkeys)$/i.test(scheme),
    user: decodeText(user, rule),
    password: decodeText(password, rule),
    database: Number(database ?? 0),
  };
}

/** Undoes percent-encoding; null if the text is missing or empty. */
function decodeText(text: string | undefined, rule: string): string | null {
  try {
    return decodeURIComponent(text ?? '') || null;
  } catch {
    throw new Error(rule);
  }
}

export const minSecretLength = 32;

export function parseSecret(value: string): string | null {
  if (value === '') return null;
  if (value.length < minSecretLength)
    throw new Error(`must have at least ${minSecretLength} characters, such as the output of: openssl rand -hex 32`);
  return value;
}
