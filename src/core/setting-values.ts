/** Kinds of settings: each parses the text of a value, or throws an Error that states what the value must be. */
import {
  formatAddress,
  networks as knownNetworks,
  type Prefix,
  parseAddress,
  parsePrefix,
  unmappedPrefix,
  withoutBrackets,
} from './address.ts';
import { maxPort } from './limits.ts';

/** A row of the list of settings. */
export interface Setting<Value> {
  readonly description: string;
  readonly default: string;
  /** Placeholder of the value in `--help`. */
  readonly value: string;
  readonly parse: (text: string) => Value;
  /** Whether the value contains a secret, which no message may repeat. */
  readonly isSecret?: boolean;
}

/** Builds a row from its description and its default, which is an empty text if absent. */
export type SettingKind<Value> = (description: string, byDefault?: string) => Setting<Value>;

const kindOf =
  <Value>(value: string, parse: (text: string) => Value): SettingKind<Value> =>
  (description, byDefault = '') => ({ value, parse, description, default: byDefault });

/** Returns the same kind with null for an empty text. */
export const optional =
  <Value>(kind: SettingKind<Value>): SettingKind<Value | null> =>
  (...row) => {
    const setting = kind(...row);
    return { ...setting, parse: (text) => (text === '' ? null : setting.parse(text)) };
  };

const secretOf =
  <Value>(kind: SettingKind<Value>): SettingKind<Value> =>
  (...row) => ({ ...kind(...row), isSecret: true });

export const text = (value: string): SettingKind<string> => kindOf(value, (text) => text);

/** Returns a kind with one rule, which the Error states; `read` returns undefined for a text that violates it. */
const checked = <Value>(value: string, rule: string, read: (text: string) => Value | undefined): SettingKind<Value> =>
  kindOf(value, (text) => {
    const result = read(text);
    if (result === undefined) throw new Error(rule);
    return result;
  });

/** Returns a kind of words with what each stands for. */
function wordOf<const Value>(meanings: Readonly<Record<string, Value>>, value?: string): SettingKind<Value> {
  const words = Object.keys(meanings);
  const rule = `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const known = new Map(Object.entries(meanings));
  return checked(value ?? words.join('|'), rule, (text) => known.get(text));
}

export const logFormat = wordOf({ plain: 'plain', json: 'json' });

/** From the most to the least important. */
export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logLevel = wordOf<LogLevel>({ error: 'error', warn: 'warn', info: 'info' });

export const onOff = wordOf<boolean>({ on: true, off: false });

export const autoUpdate = wordOf({ monthly: 'monthly', off: null });

const maxCount = 1_000_000_000;
const maxThreads = 256;
/** Longer than any load balancer needs to notice. */
const maxDelaySeconds = 3600;

const readWholeNumber = (text: string, max: number): number | undefined =>
  /^\d{1,10}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

/** A port; 0: the system chooses a free one. null: off. */
export const port = checked('port', `must be a port from 0 to ${maxPort}, or off`, (text) =>
  text === 'off' ? null : readWholeNumber(text, maxPort),
);

/** The same of a server that another setting turns on. */
export const openPort = checked('port', `must be a port from 0 to ${maxPort}`, (text) =>
  readWholeNumber(text, maxPort),
);

export const count = (value: string): SettingKind<number> =>
  checked(value, `must be a whole number from 0 to ${maxCount}`, (text) => readWholeNumber(text, maxCount));

export const delay = checked('seconds', `must be a whole number of seconds from 0 to ${maxDelaySeconds}`, (text) =>
  readWholeNumber(text, maxDelaySeconds),
);

/** A number of threads; `auto`: one for each core that the process may use. */
export const threads = checked('count|auto', `must be a whole number from 1 to ${maxThreads}, or auto`, (text) =>
  text === 'auto' ? text : readWholeNumber(text, maxThreads) || undefined,
);

const splitList = (text: string): string[] => (text === '' ? [] : text.split(',').map((each) => each.trim()));

export const files = kindOf<readonly string[]>('file', splitList);

export const networks = kindOf<readonly Prefix[]>('networks', (text) => splitList(text).flatMap(parseNetwork));

function parseNetwork(text: string): readonly Prefix[] {
  if (Object.hasOwn(knownNetworks, text)) return knownNetworks[text] ?? [];
  const parsed = parsePrefix(text);
  if (parsed === null)
    throw new Error('must be addresses, CIDR blocks, loopback, private or cloudflare, comma-separated');
  // Peers are compared as IPv4 addresses, too.
  const prefix = unmappedPrefix(parsed);
  if (prefix.length === 0) throw new Error('must not cover all addresses: a trusted proxy can set any client address');
  return [prefix];
}

/** IP addresses in the form of `formatAddress`, each once. */
export const addresses = checked<readonly string[]>('addresses', 'must be IP addresses, comma-separated', (text) => {
  const addresses = splitList(text).map(parseAddress);
  if (!addresses.every((address) => address !== null)) return undefined;
  return [...new Set(addresses.map(formatAddress))];
});

/** A host name in lower case, or an IP address without brackets. */
export const host = checked('host', 'must be a host name or an IP address, without a port', (text) => {
  const host = withoutBrackets(text.toLowerCase());
  return /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(host) || parseAddress(host) !== null ? host : undefined;
});

/** A header name in lower case (RFC 9110 §5.6.2). */
export const headerName = checked('name', 'must be a header name', (text) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text.toLowerCase() : undefined,
);

export const colo = checked('code', 'must be an IATA code of three letters, such as FRA', (text) =>
  /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : undefined,
);

/** Sets of headers that a trusted proxy may set besides the client address. */
export type EdgeHeaderSet = 'x-edge' | 'cf';

const isEdgeHeaderSet = (text: string): text is EdgeHeaderSet => text === 'x-edge' || text === 'cf';

export const edgeHeaderSets = checked<readonly EdgeHeaderSet[]>(
  'sets',
  'must be x-edge, cf or both, comma-separated',
  (text) => {
    const sets = splitList(text);
    return sets.every(isEdgeHeaderSet) ? sets : undefined;
  },
);

const urlPattern = /^https?:\/\/([\w.~-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:\/[^\s?#"<>\\]*)?$/i;

function isHttpUrl(text: string): boolean {
  const [, host, port = 0] = urlPattern.exec(text) ?? [];
  if (host === undefined || Number(port) > maxPort) return false;
  // Brackets or a last label of digits make the host an address (WHATWG URL, "ends in a number checker").
  const isAddress = /^\[|(?:^|\.)\d+$/.test(host);
  return !isAddress || parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== null;
}

const isHttpsUrl = (text: string): boolean => /^https/i.test(text) && isHttpUrl(text);
const removeFinalSlashes = (text: string): string => text.replace(/\/+$/, '');

const urlRule = 'must be an http or https URL without a query';
export const url = checked('url', urlRule, (text) => (isHttpUrl(text) ? removeFinalSlashes(text) : undefined));

const isSecureOrLocal = (url: string): boolean =>
  /^https:|^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/]|$)/i.test(url);

/** DNS queries tell a resolver's network what is looked up, unless it is this machine. */
export const resolverUrls = kindOf<readonly string[]>('urls', (text) => {
  const urls = text.split(',').map((each) => each.trim());
  if (!urls.every(isHttpUrl)) throw new Error(urlRule);
  if (!urls.every(isSecureOrLocal)) throw new Error('must be https URLs, or http URLs of this machine');
  return urls.map(removeFinalSlashes);
});

/** Names of groups as in OpenSSL's lists, where some other characters have a meaning. */
const groupPattern = /^[\w-]+$/;

export const tlsGroups = checked<readonly string[]>('groups', 'must be names of groups, comma-separated', (text) => {
  const groups = splitList(text);
  return groups.length > 0 && groups.every((group) => groupPattern.test(group)) ? groups : undefined;
});

/** An https URL as it is; a final slash stays, because some ACME directories have one. */
export const httpsUrl = checked('url', 'must be an https URL without a query', (text) =>
  isHttpsUrl(text) ? text : undefined,
);

/** The scheme, host and port of a URL in lower case, without a final slash. */
export const origin = checked('url', 'must be an http or https URL without a path', (text) => {
  const origin = removeFinalSlashes(text);
  return isHttpUrl(origin) && origin.split('/').length === 3 ? origin.toLowerCase() : undefined;
});

const emailPattern = /^[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i;

export const email = checked('address', 'must be an email address', (text) =>
  emailPattern.test(text) ? text : undefined,
);

/** The operator's contact, as the Contact Object of OpenAPI has it. */
export type Contact = { readonly email: string } | { readonly url: string };

export const contact = checked<Contact>(
  'contact',
  'must be an email address or an https URL without a query',
  (text) => (emailPattern.test(text) ? { email: text } : isHttpsUrl(text) ? { url: text } : undefined),
);

/** Names in one certificate of Let's Encrypt. */
const maxDomains = 100;
const domainPattern = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])$/;

/** Domain names in lower case, each once. */
export const domains = checked<readonly string[]>(
  'domains',
  `must be up to ${maxDomains} domain names, comma-separated, without wildcards and IP addresses; international names begin with xn--`,
  (text) => {
    const domains = [...new Set(splitList(text.toLowerCase()))];
    return domains.length <= maxDomains && domains.every((each) => domainPattern.test(each)) ? domains : undefined;
  },
);

/** So short that a name of a test fits: `_65535._https.`, the labels of a nested name, a number and an id before it. */
const maxZoneLength = 180;

/** A domain name in lower case. */
export const zone = checked(
  'domain',
  `must be a domain name of at most ${maxZoneLength} characters; international names begin with xn--`,
  (text) => {
    const zone = text.toLowerCase();
    return zone.length <= maxZoneLength && domainPattern.test(zone) ? zone : undefined;
  },
);

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

export const rateStore = secretOf(
  checked(
    'url',
    'must be redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path; percent-encode special characters',
    readRateStore,
  ),
);

function readRateStore(text: string): RateStoreAddress | undefined {
  const [, path] = /^unix:\/\/(\/[^?#]+)$/.exec(text) ?? [];
  if (path !== undefined) return { target: { path }, isTls: false, user: null, password: null, database: 0 };
  const { scheme, host, port = '6379', database = 0, ...groups } = rateStorePattern.exec(text)?.groups ?? {};
  const user = decodeText(groups.user);
  const password = decodeText(groups.password);
  if (scheme === undefined || host === undefined || Number(port) > maxPort || port === '0') return undefined;
  if (user === undefined || password === undefined) return undefined;
  return {
    target: { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) },
    isTls: /^(?:rediss|valkeys)$/i.test(scheme),
    user,
    password,
    database: Number(database),
  };
}

/** Undoes percent-encoding; null if the text is missing or empty, undefined if it cannot be decoded. */
function decodeText(text = ''): string | null | undefined {
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return undefined;
  }
}

export const minSecretLength = 32;

export const secret = secretOf(
  checked(
    'text',
    `must have at least ${minSecretLength} characters, such as the output of: openssl rand -hex 32`,
    (text) => (text.length >= minSecretLength ? text : undefined),
  ),
);
