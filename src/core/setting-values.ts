/** Kinds of setting values: each parses the text of a value, or throws an Error that states what the value must be. */
import { type Prefix, parseAddress, parsePrefix, unmappedPrefix } from './address.ts';
import { networks as knownNetworks } from './networks.ts';

export interface ValueKind<Value> {
  /** Placeholder of the value in `--help`. */
  readonly value: string;
  readonly parse: (text: string) => Value;
  /** Whether the value contains a secret, which no message may repeat. */
  readonly isSecret?: boolean;
}

/** The same kind, with null for an empty text. */
export const optional = <Value>(kind: ValueKind<Value>): ValueKind<Value | null> => ({
  ...kind,
  parse: (text) => (text === '' ? null : kind.parse(text)),
});

export const text = (value: string): ValueKind<string> => ({ value, parse: (text) => text });

/** One of these words. */
function oneOf<const Word extends string>(words: readonly Word[], value = words.join('|')): ValueKind<Word> {
  const rule = `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return { value, parse: (text) => words.find((word) => word === text) ?? fail(rule) };
}

export const logFormat = oneOf(['plain', 'json']);

/** From the most to the least important. */
export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logLevel = oneOf(logLevels, 'level');

const switchWord = oneOf(['on', 'off']);
export const onOff: ValueKind<boolean> = { ...switchWord, parse: (text) => switchWord.parse(text) === 'on' };

const updateWord = oneOf(['monthly', 'off']);
export const autoUpdate: ValueKind<'monthly' | null> = {
  ...updateWord,
  parse(text) {
    const word = updateWord.parse(text);
    return word === 'off' ? null : word;
  },
};

const maxPort = 65_535;
const maxCount = 1_000_000_000;
const maxThreads = 256;
/** Longer than any load balancer needs to notice. */
const maxDelaySeconds = 3600;

function parseWholeNumber(text: string, max: number, rule: string): number {
  return /^\d{1,10}$/.test(text) && Number(text) <= max ? Number(text) : fail(rule);
}

/** 0: the system chooses a free port. null: off. */
export const port: ValueKind<number | null> = {
  value: 'port',
  parse: (text) =>
    text === 'off' ? null : parseWholeNumber(text, maxPort, `must be a port from 0 to ${maxPort}, or off`),
};

export const count = (value: string): ValueKind<number> => ({
  value,
  parse: (text) => parseWholeNumber(text, maxCount, `must be a whole number from 0 to ${maxCount}`),
});

export const delay: ValueKind<number> = {
  value: 'seconds',
  parse: (text) =>
    parseWholeNumber(text, maxDelaySeconds, `must be a whole number of seconds from 0 to ${maxDelaySeconds}`),
};

/** `auto`: as many as the process may use cores. */
export const threads: ValueKind<number | 'auto'> = {
  value: 'count|auto',
  parse(text) {
    const rule = `must be a whole number from 1 to ${maxThreads}, or auto`;
    return text === 'auto' ? text : parseWholeNumber(text, maxThreads, rule) || fail(rule);
  },
};

const splitList = (text: string): string[] => (text === '' ? [] : text.split(',').map((each) => each.trim()));

export const files: ValueKind<readonly string[]> = { value: 'file', parse: splitList };

export const networks: ValueKind<readonly Prefix[]> = {
  value: 'networks',
  parse: (text) => splitList(text).flatMap((each) => parseNetwork(each)),
};

function parseNetwork(text: string): readonly Prefix[] {
  if (Object.hasOwn(knownNetworks, text)) return knownNetworks[text] ?? [];
  const parsed = parsePrefix(text);
  if (parsed === null) fail('must be addresses, CIDR blocks, loopback, private or cloudflare, comma-separated');
  // Peers are compared as IPv4 addresses, too.
  const prefix = unmappedPrefix(parsed);
  if (prefix.length === 0) fail('must not cover all addresses: a trusted proxy can set any client address');
  return [prefix];
}

/** RFC 9110 §5.6.2 */
export const headerName: ValueKind<string> = {
  value: 'name',
  parse: (text) => (/^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text.toLowerCase() : fail('must be a header name')),
};

/** Sets of headers that a trusted proxy may set besides the client address. */
export type EdgeHeaderSet = 'x-edge' | 'cf';

export const edgeHeaderSets: ValueKind<readonly EdgeHeaderSet[]> = {
  value: 'sets',
  parse: (text) =>
    splitList(text).map((each) =>
      each === 'x-edge' || each === 'cf' ? each : fail('must be x-edge, cf or both, comma-separated'),
    ),
};

const urlPattern = /^https?:\/\/([\w.~-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:\/[^\s?#"<>\\]*)?$/i;

function isHttpUrl(text: string): boolean {
  const [, host, port = 0] = urlPattern.exec(text) ?? [];
  if (host === undefined || Number(port) > maxPort) return false;
  // Brackets or a last label of digits make the host an address (WHATWG URL, "ends in a number checker").
  const isAddress = /^\[|(?:^|\.)\d+$/.test(host);
  return !isAddress || parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== null;
}

const isHttpsUrl = (text: string): boolean => /^https/i.test(text) && isHttpUrl(text);
const removeFinalSlash = (text: string): string => text.replace(/\/+$/, '');

export const url: ValueKind<string> = {
  value: 'url',
  parse: (text) => (isHttpUrl(text) ? removeFinalSlash(text) : fail('must be an http or https URL without a query')),
};

export const urls: ValueKind<readonly string[]> = {
  value: 'urls',
  parse: (text) => text.split(',').map((each) => url.parse(each.trim())),
};

/** Keeps a final slash, which some directories have. */
export const httpsUrl: ValueKind<string> = {
  value: 'url',
  parse: (text) => (isHttpsUrl(text) ? text : fail('must be an https URL without a query')),
};

/** Scheme, host and port. */
export const origin: ValueKind<string> = {
  value: 'url',
  parse(text) {
    const origin = removeFinalSlash(text);
    if (!isHttpUrl(origin) || origin.split('/').length > 3) fail('must be an http or https URL without a path');
    return origin.toLowerCase();
  },
};

const emailPattern = /^[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i;

export const email: ValueKind<string> = {
  value: 'address',
  parse: (text) => (emailPattern.test(text) ? text : fail('must be an email address')),
};

/** The operator's contact, as the Contact Object of OpenAPI has it. */
export type Contact = { readonly email: string } | { readonly url: string };

export const contact: ValueKind<Contact> = {
  value: 'contact',
  parse(text) {
    if (emailPattern.test(text)) return { email: text };
    return isHttpsUrl(text) ? { url: text } : fail('must be an email address or an https URL without a query');
  },
};

/** Names in one certificate of Let's Encrypt. */
const maxDomains = 100;
const domainPattern = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])$/;

/** Domain names in lower case, each once. */
export const domains: ValueKind<readonly string[]> = {
  value: 'domains',
  parse(text) {
    const domains = [...new Set(splitList(text.toLowerCase()))];
    if (domains.length <= maxDomains && domains.every((each) => domainPattern.test(each))) return domains;
    return fail(
      `must be up to ${maxDomains} domain names, comma-separated, without wildcards and IP addresses; international names begin with xn--`,
    );
  },
};

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
const rateStoreRule =
  'must be redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path; percent-encode special characters';
const defaultRateStorePort = '6379';

export const rateStore: ValueKind<RateStoreAddress> = {
  value: 'url',
  isSecret: true,
  parse(text) {
    const [, path] = /^unix:\/\/(\/[^?#]+)$/.exec(text) ?? [];
    if (path !== undefined) return { target: { path }, isTls: false, user: null, password: null, database: 0 };
    const {
      scheme,
      user,
      password,
      host,
      port = defaultRateStorePort,
      database = 0,
    } = rateStorePattern.exec(text)?.groups ?? {};
    if (scheme === undefined || host === undefined || Number(port) > maxPort || port === '0') fail(rateStoreRule);
    return {
      target: { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) },
      isTls: /^(?:rediss|valkeys)$/i.test(scheme),
      user: decodeText(user),
      password: decodeText(password),
      database: Number(database),
    };
  },
};

/** Undoes percent-encoding; null if the text is missing or empty. */
function decodeText(text = ''): string | null {
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return fail(rateStoreRule);
  }
}

export const minSecretLength = 32;

export const secret: ValueKind<string> = {
  value: 'text',
  isSecret: true,
  parse: (text) =>
    text.length >= minSecretLength
      ? text
      : fail(`must have at least ${minSecretLength} characters, such as the output of: openssl rand -hex 32`),
};

function fail(rule: string): never {
  throw new Error(rule);
}
