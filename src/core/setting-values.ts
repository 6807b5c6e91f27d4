/** Kinds of settings: each parses the text of a value, or throws an Error that states what the value must be. */
import {
  formatAddress,
  networks as knownNetworks,
  normalizeAddress,
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
type SettingKind<Value> = (description: string, byDefault?: string) => Setting<Value>;

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

/** A variable or a command as shells, Compose and Kubernetes write them. systemd and `docker --env-file` expand neither. */
const unexpanded = /\$\{\w+[-:?+}]|^\$\(.+\)$/;

/** Returns the same kind for a secret. What an example contains in its place is public, and may be long enough. */
const secretOf =
  <Value>(kind: SettingKind<Value>): SettingKind<Value> =>
  (...row) => {
    const setting = kind(...row);
    const parse = (text: string): Value => {
      if (unexpanded.test(text))
        throw new Error('must be the value itself, not a variable or command that nothing has expanded');
      return setting.parse(text);
    };
    return { ...setting, parse, isSecret: true };
  };

export const text = (value: string): SettingKind<string> => kindOf(value, (text) => text);

/** Returns a kind with one rule, which the Error states; `read` returns undefined for a text that violates it. */
const validated = <Value>(value: string, rule: string, read: (text: string) => Value | undefined): SettingKind<Value> =>
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
  return validated(value ?? words.join('|'), rule, (text) => known.get(text));
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
export const port = validated('port', `must be a port from 0 to ${maxPort}, or off`, (text) =>
  text === 'off' ? null : readWholeNumber(text, maxPort),
);

/** The port of a server that another setting enables. */
export const openPort = validated('port', `must be a port from 0 to ${maxPort}`, (text) =>
  readWholeNumber(text, maxPort),
);

export const count = (value: string): SettingKind<number> =>
  validated(value, `must be a whole number from 0 to ${maxCount}`, (text) => readWholeNumber(text, maxCount));

export const delay = validated('seconds', `must be a whole number of seconds from 0 to ${maxDelaySeconds}`, (text) =>
  readWholeNumber(text, maxDelaySeconds),
);

/** A number of threads; `auto`: one for each core that the process may use. */
export const threads = validated('count|auto', `must be a whole number from 1 to ${maxThreads}, or auto`, (text) =>
  text === 'auto' ? text : readWholeNumber(text, maxThreads) || undefined,
);

const splitList = (text: string): string[] => (text === '' ? [] : text.split(',').map((each) => each.trim()));

export const files = kindOf<readonly string[]>('file', splitList);

export const networks = kindOf<readonly Prefix[]>('networks', (text) => splitList(text).flatMap(parseNetwork));

/** Prefix lengths of the largest private networks, 10.0.0.0/8 and fc00::/7. */
const largestNetwork = { 4: 8, 6: 7 };

function parseNetwork(text: string): readonly Prefix[] {
  if (Object.hasOwn(knownNetworks, text)) return knownNetworks[text] ?? [];
  const parsed = parsePrefix(text);
  if (parsed === null)
    throw new Error('must be addresses, CIDR blocks, loopback, private or cloudflare, comma-separated');
  // Peers are compared as IPv4 addresses, too.
  const prefix = unmappedPrefix(parsed);
  // Two halves cover all addresses, too.
  if (prefix.length < largestNetwork[prefix.first.version])
    throw new Error(
      'must not cover most addresses: a trusted proxy can set any client address; list networks up to /8, or /7 of IPv6',
    );
  return [prefix];
}

/** IP addresses in the form of `formatAddress`, each once. */
export const addresses = validated<readonly string[]>('addresses', 'must be IP addresses, comma-separated', (text) => {
  const addresses = splitList(text).map(parseAddress);
  if (!addresses.every((address) => address !== null)) return undefined;
  return [...new Set(addresses.map(formatAddress))];
});

/** A host name in lower case, or an IP address without brackets. */
export const host = validated('host', 'must be a host name or an IP address, without a port', (text) => {
  const host = withoutBrackets(text.toLowerCase());
  return /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(host) || parseAddress(host) !== null ? host : undefined;
});

/** A header name in lower case (RFC 9110 §5.6.2). */
export const headerName = validated('name', 'must be a header name', (text) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text.toLowerCase() : undefined,
);

export const colo = validated('code', 'must be an IATA code of three letters, such as FRA', (text) =>
  /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : undefined,
);

/** Sets of headers that a trusted proxy may set besides the client address. */
export type EdgeHeaderSet = 'x-edge' | 'cf';

const isEdgeHeaderSet = (text: string): text is EdgeHeaderSet => text === 'x-edge' || text === 'cf';

export const edgeHeaderSets = validated<readonly EdgeHeaderSet[]>(
  'sets',
  'must be x-edge, cf or both, comma-separated',
  (text) => {
    const sets = splitList(text);
    return sets.every(isEdgeHeaderSet) ? sets : undefined;
  },
);

/** The members of a URL that this file reads (https://url.spec.whatwg.org). */
interface Url {
  readonly href: string;
  readonly origin: string;
  /** The scheme with its colon. */
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  /** An IPv6 address in brackets. */
  readonly hostname: string;
  /** Empty for the default port of the scheme. */
  readonly port: string;
  readonly pathname: string;
}

/** Every runtime has it, but the compiler knows it only with the types of one, which pure code does not get. */
declare const URL: { parse(text: string): Url | null };

/** Accepts only an authority without credentials, and a path: URL would change or leave out everything else. */
const withoutQuery = /^https?:\/\/[^/\s?#@"<>\\]+(?:\/[^\s?#"<>\\]*)?$/i;

const parseHttpUrl = (text: string): Url | null => (withoutQuery.test(text) ? URL.parse(text) : null);
const parseHttpsUrl = (text: string): Url | null => (/^https/i.test(text) ? parseHttpUrl(text) : null);

/** Returns a URL in the form of the URL standard: ASCII, the host in lower case, without a default port; here also without a final slash. */
const formatUrl = ({ href }: Url): string => href.replace(/\/+$/, '');

const urlRule = 'must be an http or https URL without a query';

export const url = validated('url', urlRule, (text) => {
  const url = parseHttpUrl(text);
  return url === null ? undefined : formatUrl(url);
});

const isSecureOrLocal = ({ protocol, hostname }: Url): boolean =>
  protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** DNS queries tell a resolver's network what is looked up, unless it is this machine. */
export const resolverUrls = kindOf<readonly string[]>('urls', (text) =>
  text.split(',').map((each) => {
    const url = parseHttpUrl(each.trim());
    if (url === null) throw new Error(urlRule);
    if (!isSecureOrLocal(url)) throw new Error('must be https URLs, or http URLs of this machine');
    return formatUrl(url);
  }),
);

/** Names of groups as in OpenSSL's lists, where some other characters have a meaning. */
const groupPattern = /^[\w-]+$/;

export const tlsGroups = validated<readonly string[]>('groups', 'must be names of groups, comma-separated', (text) => {
  const groups = splitList(text);
  return groups.length > 0 && groups.every((group) => groupPattern.test(group)) ? groups : undefined;
});

/** An https URL as it is; a final slash stays, because some ACME directories have one. */
export const httpsUrl = validated('url', 'must be an https URL without a query', (text) =>
  parseHttpsUrl(text) === null ? undefined : text,
);

/** The scheme, host and port of a URL, as in the header Origin. */
export const origin = validated('url', 'must be an http or https URL without a path', (text) => {
  const url = parseHttpUrl(text);
  return url?.pathname === '/' ? url.origin : undefined;
});

const emailPattern = /^[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i;

export const email = validated('address', 'must be an email address', (text) =>
  emailPattern.test(text) ? text : undefined,
);

/** The operator's contact, as the Contact Object of OpenAPI has it. */
export type Contact = { readonly email: string } | { readonly url: string };

export const contact = validated<Contact>(
  'contact',
  'must be an email address or an https URL without a query',
  (text) => {
    if (emailPattern.test(text)) return { email: text };
    const url = parseHttpsUrl(text);
    return url === null ? undefined : { url: url.href };
  },
);

/** Names in one certificate of Let's Encrypt. */
const maxDomains = 100;
const domainPattern = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])$/;

/** Domain names in lower case, each once. */
export const domains = validated<readonly string[]>(
  'domains',
  `must be up to ${maxDomains} domain names, comma-separated, without wildcards and IP addresses; international names begin with xn--`,
  (text) => {
    const domains = [...new Set(splitList(text.toLowerCase()))];
    return domains.length <= maxDomains && domains.every((each) => domainPattern.test(each)) ? domains : undefined;
  },
);

/** Like `domains`, also with IP addresses in the form of `formatAddress`. */
export const certifiedNames = validated<readonly string[]>(
  'names',
  `must be up to ${maxDomains} domain names and IP addresses, comma-separated, without wildcards and ports; international names begin with xn--`,
  (text) => {
    const names = [...new Set(splitList(text.toLowerCase()).map((each) => normalizeAddress(withoutBrackets(each))))];
    const isName = (each: string): boolean => domainPattern.test(each) || parseAddress(each) !== null;
    return names.length <= maxDomains && names.every(isName) ? names : undefined;
  },
);

/** Longest zone below which the longest test name fits: `_65535._https.`, the labels of a nested name, a number and an id. */
const maxZoneLength = 180;

/** A domain name in lower case. */
export const zone = validated(
  'domain',
  `must be a domain name of at most ${maxZoneLength} characters; international names begin with xn--`,
  (text) => {
    const zone = text.toLowerCase();
    return zone.length <= maxZoneLength && domainPattern.test(zone) ? zone : undefined;
  },
);

/** The host of a URL that was read; null without one. */
export const hostOf = (url: string | null): string | null => URL.parse(url ?? '')?.hostname ?? null;

/** A Redis or Valkey server. */
export interface RateStoreAddress {
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly isTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: number;
}

export const rateStore = secretOf(
  validated(
    'url',
    'must be redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path; percent-encode special characters',
    readRateStore,
  ),
);

function readRateStore(text: string): RateStoreAddress | undefined {
  const [, path] = /^unix:\/\/(\/[^?#]+)$/.exec(text) ?? [];
  if (path !== undefined) return { target: { path }, isTls: false, user: null, password: null, database: 0 };
  const url = /[\s?#]/.test(text) ? null : URL.parse(text);
  const [, server, tls] = /^(redis|valkey)(s?):$/.exec(url?.protocol ?? '') ?? [];
  const [, database] = /^\/?(\d{0,3})$/.exec(url?.pathname ?? '') ?? [];
  if (url === null || server === undefined || database === undefined) return undefined;
  const user = decodeText(url.username);
  const password = decodeText(url.password);
  if (url.hostname === '' || url.port === '0' || user === undefined || password === undefined) return undefined;
  return {
    target: { host: withoutBrackets(url.hostname), port: Number(url.port || 6379) },
    isTls: tls === 's',
    user,
    password,
    database: Number(database),
  };
}

/** Undoes percent-encoding; null if the text is empty, undefined if it cannot be decoded. */
function decodeText(text: string): string | null | undefined {
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return undefined;
  }
}

/** A name or identifier that a certificate authority has chosen. */
export const chosenName = (value: string): SettingKind<string> =>
  validated(value, 'must be 1 to 256 visible ASCII characters', (text) =>
    /^[!-~]{1,256}$/.test(text) ? text : undefined,
  );

/** Base64url with or without padding (RFC 4648 §5), at least 128 bits. */
export const hmacKey = secretOf(
  validated('key', 'must be a key in Base64url, as the certificate authority shows it', (text) =>
    /^[\w-]{22,1024}={0,2}$/.test(text) ? text : undefined,
  ),
);

export const minSecretLength = 32;

export const secret = secretOf(
  validated(
    'text',
    `must have at least ${minSecretLength} characters, such as the output of: openssl rand -hex 32`,
    (text) => (text.length >= minSecretLength ? text : undefined),
  ),
);
