/** The list of settings: every one a flag and an environment variable. */
import { type Prefix, parseAddress, parsePrefix, unmapped } from './address.ts';
import { rates } from './limits.ts';
import { networks } from './networks.ts';

interface Setting<Value> {
  /** What stands for the value in `--help`. */
  readonly value: string;
  readonly default: string;
  readonly sentence: string;
  /** Throws a sentence that says what the value must be. */
  readonly parse: (value: string) => Value;
}

const setting = <Value>(row: Setting<Value>): Setting<Value> => row;

export const settings = {
  host: setting({
    value: 'address',
    default: '',
    sentence: 'Address to listen on; empty means every address, IPv6 and IPv4.',
    parse: optional,
  }),
  port: setting({ value: 'port', default: '8080', sentence: 'Port for HTTP; off closes it.', parse: port }),
  tlsPort: setting({
    value: 'port',
    default: '8443',
    sentence: 'Port for HTTPS (HTTP/2 and HTTP/1.1); off closes it.',
    parse: port,
  }),
  tlsCert: setting({
    value: 'file',
    default: '',
    sentence: 'Certificate chain (PEM), read again when it changes; empty means one made for localhost at start.',
    parse: optional,
  }),
  tlsKey: setting({
    value: 'file',
    default: '',
    sentence: 'Private key (PEM) of TLS_CERT, read again when it changes.',
    parse: optional,
  }),
  publicUrl: setting({
    value: 'url',
    default: '',
    sentence: 'Address under which callers reach the service; empty means what each request asked for.',
    parse: publicUrl,
  }),
  contact: setting({
    value: 'contact',
    default: '',
    sentence: 'E-mail address or https address of the operator, told to callers who need more; empty means none.',
    parse: contact,
  }),
  trustProxy: setting({
    value: 'networks',
    default: '',
    sentence:
      'Proxies that are believed about the caller: addresses, CIDR blocks, loopback, private, cloudflare, with a comma between; empty means none.',
    parse: trustedNetworks,
  }),
  trustProxyHeader: setting({
    value: 'name',
    default: 'x-forwarded-for',
    sentence: 'The one header in which these proxies name the caller; no other moves the address.',
    parse: headerName,
  }),
  trustEdgeHeaders: setting({
    value: 'sets',
    default: '',
    sentence:
      'Which other headers of these proxies are believed: x-edge, cf (those of Cloudflare), or both with a comma between; only for proxies that delete what a client sends under these names.',
    parse: edgeHeaderSets,
  }),
  proxyProtocol: setting({
    value: 'on|off',
    default: 'off',
    sentence: 'Whether connections of these proxies begin with a PROXY protocol header, version 1 or 2.',
    parse: onOrOff,
  }),
  geoipCity: setting({
    value: 'file',
    default: '',
    sentence:
      'City database (MaxMind format; an IPv4 and an IPv6 file may be given with a comma between), read again when it changes; empty means the one in DATA_DIR, else the embedded DB-IP database.',
    parse: files,
  }),
  geoipAsn: setting({
    value: 'file',
    default: '',
    sentence: 'Autonomous system database, in the same way; empty means the one in DATA_DIR, else none.',
    parse: files,
  }),
  dataDir: setting({
    value: 'folder',
    default: 'data',
    sentence: 'Folder in which geo update keeps its databases.',
    parse: required,
  }),
  geoipUrl: setting({
    value: 'url',
    default: 'https://download.db-ip.com/free',
    sentence: 'Where geo update downloads from.',
    parse: httpUrl,
  }),
  rateLimitGeneral: setting({
    value: 'calls',
    default: String(rates.general.perWindow),
    sentence: 'Calls a minute that one address may make; 0 means no limit.',
    parse: count,
  }),
  rateLimitLookup: setting({
    value: 'calls',
    default: String(rates.lookup.perWindow),
    sentence: 'Lookups a minute that one address may make; 0 means no limit.',
    parse: count,
  }),
  rdapBootstrapUrl: setting({
    value: 'url',
    default: 'https://data.iana.org/rdap',
    sentence: 'Where the bootstrap files of RDAP are: dns.json, ipv4.json, ipv6.json and asn.json.',
    parse: httpUrl,
  }),
  dohUrl: setting({
    value: 'urls',
    default: 'https://cloudflare-dns.com/dns-query,https://dns.google/dns-query',
    sentence: 'DNS over HTTPS resolvers, the preferred first, with a comma between.',
    parse: httpUrls,
  }),
  maxConnections: setting({
    value: 'count',
    default: '10000',
    sentence: 'Connections open at once on each port; more are closed at once. 0 means no limit.',
    parse: count,
  }),
  maxConnectionsPerAddress: setting({
    value: 'count',
    default: '256',
    sentence: 'Connections open at once from one address (IPv6: one /64); 0 means no limit.',
    parse: count,
  }),
  metricsPort: setting({
    value: 'port',
    default: 'off',
    sentence: 'Port for the Prometheus metrics.',
    parse: port,
  }),
  metricsHost: setting({
    value: 'address',
    default: '127.0.0.1',
    sentence: 'Address on which the metrics are served.',
    parse: required,
  }),
} as const;

/** Whom to ask, as the Contact Object of OpenAPI has it. */
export type Contact = { readonly email: string } | { readonly url: string };

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };

/** A setting that cannot be used; the message names it and says what to change. */
export interface SettingProblem {
  readonly problem: string;
}

export const settingNames = Object.keys(settings) as SettingName[];

/** The environment variable of a setting: `tlsPort` is TLS_PORT. */
export const variableOf = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** The flag of a setting, without the dashes: `tlsPort` is tls-port. */
export const flagOf = (name: string): string => variableOf(name).toLowerCase().replaceAll('_', '-');

/** Reads every setting: the flag wins over the variable, an empty one means the default. */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings | SettingProblem {
  const read: Record<string, unknown> = {};
  for (const name of settingNames) {
    const given = flags[flagOf(name)] || environment[variableOf(name)] || settings[name].default;
    try {
      read[name] = settings[name].parse(given);
    } catch (error) {
      return { problem: `${variableOf(name)}: ${error instanceof Error ? error.message : error}, not "${given}"` };
    }
  }
  const values = read as Settings;
  if ((values.tlsCert === null) !== (values.tlsKey === null)) {
    const missing = values.tlsCert === null ? 'tlsCert' : 'tlsKey';
    return { problem: `${variableOf(missing)}: give TLS_CERT and TLS_KEY together, or neither` };
  }
  const ofProxies = values.proxyProtocol
    ? 'proxyProtocol'
    : values.trustEdgeHeaders.length > 0
      ? 'trustEdgeHeaders'
      : null;
  if (ofProxies !== null && values.trustProxy.length === 0)
    return { problem: `TRUST_PROXY: name the proxies that ${variableOf(ofProxies)} is about` };
  if (values.port === null && values.tlsPort === null)
    return { problem: 'PORT: PORT and TLS_PORT are both off; open one' };
  return values;
}

function optional(value: string): string | null {
  return value === '' ? null : value;
}

function required(value: string): string {
  return value;
}

function files(value: string): readonly string[] | null {
  return value === '' ? null : value.split(',').map((file) => file.trim());
}

function trustedNetworks(value: string): readonly Prefix[] {
  return listOf(value).flatMap((each) => {
    const named = Object.hasOwn(networks, each) ? networks[each] : undefined;
    if (named !== undefined) return named;
    const prefix = unmappedPrefix(parsePrefix(each));
    if (prefix === null)
      throw new Error('must be addresses, CIDR blocks, loopback, private or cloudflare, with a comma between');
    if (prefix.length === 0)
      throw new Error('must leave somebody out: whoever is trusted may name any address as the caller');
    return [prefix];
  });
}

/** Peers are compared as IPv4 where they are. */
function unmappedPrefix(prefix: Prefix | null): Prefix | null {
  const first = prefix && unmapped(prefix.first);
  return first?.version === 4 && prefix?.first.version === 6 ? { first, length: prefix.length - 96 } : prefix;
}

function headerName(value: string): string {
  // RFC 9110 §5.6.2
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(value)) throw new Error('must be the name of a header');
  return value.toLowerCase();
}

/** Sets of headers that a proxy may be believed. */
export type EdgeHeaderSet = 'x-edge' | 'cf';

function edgeHeaderSets(value: string): readonly EdgeHeaderSet[] {
  return listOf(value).map((each) => {
    if (each !== 'x-edge' && each !== 'cf') throw new Error('must be x-edge, cf, or both with a comma between');
    return each;
  });
}

function onOrOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new Error('must be on or off');
  return value === 'on';
}

function listOf(value: string): string[] {
  return value === '' ? [] : value.split(',').map((each) => each.trim());
}

const maxPort = 65_535;

/** 0 lets the system choose; null is off. */
function port(value: string): number | null {
  if (value === 'off') return null;
  return wholeNumber(value, maxPort, 'must be a port from 0 to 65535, or off');
}

function count(value: string): number {
  return wholeNumber(value, 1_000_000_000, 'must be a whole number from 0 to 1000000000');
}

function wholeNumber(value: string, most: number, rule: string): number {
  if (!/^\d{1,10}$/.test(value) || Number(value) > most) throw new Error(rule);
  return Number(value);
}

function publicUrl(value: string): string | null {
  return value === '' ? null : httpUrl(value);
}

const emailShape = /^[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/i;

function contact(value: string): Contact | null {
  if (value === '') return null;
  if (emailShape.test(value)) return { email: value };
  if (isHttpUrl(value) && /^https/i.test(value)) return { url: value };
  throw new Error('must be an e-mail address or an https address without a query');
}

function httpUrls(value: string): readonly string[] {
  return value.split(',').map((each) => httpUrl(each.trim()));
}

const urlShape = /^https?:\/\/([\w.~-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:\/[^\s?#"<>\\]*)?$/i;

function httpUrl(value: string): string {
  if (!isHttpUrl(value)) throw new Error('must be an http or https address without a query');
  return value.replace(/\/+$/, '');
}

function isHttpUrl(value: string): boolean {
  const [, host, port = 0] = urlShape.exec(value) ?? [];
  if (host === undefined || Number(port) > maxPort) return false;
  // A last label of digits, or brackets, make an address of it (WHATWG URL, "ends in a number checker").
  const isAddress = /^\[|(?:^|\.)\d+$/.test(host);
  return !isAddress || parseAddress(host.replace(/^\[(.*)\]$/, '$1')) !== null;
}
