/** The list of settings; each is a flag and an environment variable. */
import { rates, windowSeconds } from './limits.ts';
import * as values from './setting-values.ts';

interface Setting<Value> {
  /** Placeholder of the value in `--help`. */
  readonly value: string;
  readonly default: string;
  readonly description: string;
  /** Throws an Error that states what the value must be. */
  readonly parse: (value: string) => Value;
  /** Whether the value contains a secret, which no message may repeat. */
  readonly isSecret?: boolean;
}

const setting = <Value>(row: Setting<Value>): Setting<Value> => row;

export const settings = {
  host: setting({
    value: 'address',
    default: '',
    description: 'Address to listen on. If empty: all, IPv6 and IPv4.',
    parse: values.parseOptional,
  }),
  port: setting({ value: 'port', default: '8080', description: 'HTTP port, or off.', parse: values.parsePort }),
  tlsPort: setting({
    value: 'port',
    default: '8443',
    description: 'HTTPS port (HTTP/2 and HTTP/1.1), or off.',
    parse: values.parsePort,
  }),
  tlsCert: setting({
    value: 'file',
    default: '',
    description:
      'Certificate chain (PEM), reloaded on change. If empty: a certificate for localhost, generated at startup.',
    parse: values.parseOptional,
  }),
  tlsKey: setting({
    value: 'file',
    default: '',
    description: 'Private key (PEM) for TLS_CERT, reloaded on change.',
    parse: values.parseOptional,
  }),
  acmeDomain: setting({
    value: 'domains',
    default: '',
    description:
      'Domain names of this service, comma-separated, for which a certificate is obtained from ACME_DIRECTORY and renewed. Port 80 or 443 of each must reach PORT or TLS_PORT. Requires ACME_TERMS_AGREED. If empty: no such certificate.',
    parse: values.parseDomains,
  }),
  acmeEmail: setting({
    value: 'address',
    default: '',
    description: 'Email address for the account at the certificate authority. If empty: none.',
    parse: values.parseOptionalEmail,
  }),
  acmeDirectory: setting({
    value: 'url',
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    description: "ACME directory of the certificate authority; the default is Let's Encrypt.",
    parse: values.parseHttpsUrl,
  }),
  acmeTermsAgreed: setting({
    value: 'on|off',
    default: 'off',
    description: "Whether you agree to the certificate authority's terms of service.",
    parse: values.parseSwitch,
  }),
  publicUrl: setting({
    value: 'url',
    default: '',
    description:
      'Public URL of the service. If empty: https:// and the first name of ACME_DOMAIN, else scheme and host of each request.',
    parse: values.parseOptionalUrl,
  }),
  publicUrlV4: setting({
    value: 'url',
    default: '',
    description:
      'URL of this service on a host name with only an A record (IPv4). The start page requests it to show the IPv4 address. If empty: not requested.',
    parse: values.parseOptionalOrigin,
  }),
  publicUrlV6: setting({
    value: 'url',
    default: '',
    description:
      'URL of this service on a host name with only an AAAA record (IPv6). The start page requests it to show the IPv6 address. If empty: not requested.',
    parse: values.parseOptionalOrigin,
  }),
  redirectHttps: setting({
    value: 'on|off',
    default: 'off',
    description:
      'Whether browsers that request a page over plain HTTP are redirected to PUBLIC_URL, which must then be an https URL. Other clients, such as curl, are not.',
    parse: values.parseSwitch,
  }),
  contact: setting({
    value: 'contact',
    default: '',
    description:
      'Email address or https URL of the operator, shown to clients that need higher limits. If empty: none.',
    parse: values.parseContact,
  }),
  trustProxy: setting({
    value: 'networks',
    default: '',
    description:
      'Trusted proxies, comma-separated: addresses, CIDR blocks, loopback, private, cloudflare. If empty: none.',
    parse: values.parseNetworks,
  }),
  trustProxyHeader: setting({
    value: 'name',
    default: 'x-forwarded-for',
    description: 'The only header of these proxies that sets the client address.',
    parse: values.parseHeaderName,
  }),
  trustEdgeHeaders: setting({
    value: 'sets',
    default: '',
    description:
      'Other headers to trust from these proxies: x-edge, cf (Cloudflare) or both, comma-separated. Only for proxies that delete client-sent copies.',
    parse: values.parseEdgeHeaderSets,
  }),
  proxyProtocol: setting({
    value: 'on|off',
    default: 'off',
    description: 'Whether connections from these proxies start with a PROXY protocol header (version 1 or 2).',
    parse: values.parseSwitch,
  }),
  geoipCity: setting({
    value: 'file',
    default: '',
    description:
      'City database (MaxMind format; one file, or an IPv4 and an IPv6 file, comma-separated), reloaded on change. If empty: the one in DATA_DIR, else the embedded DB-IP database.',
    parse: values.parseFiles,
  }),
  geoipAsn: setting({
    value: 'file',
    default: '',
    description:
      'ASN database, in the same format, reloaded on change. If empty: the one in DATA_DIR, else the embedded one (Route Views, NRO, DB-IP).',
    parse: values.parseFiles,
  }),
  dataDir: setting({
    value: 'folder',
    default: 'data',
    description: 'Folder for downloaded and converted databases, and for the keys and certificates of ACME_DOMAIN.',
    parse: values.parseText,
  }),
  geoipUrl: setting({
    value: 'url',
    default: 'https://download.db-ip.com/free',
    description: 'Base URL for the downloads of geo update.',
    parse: values.parseUrl,
  }),
  geoipAutoUpdate: setting({
    value: 'monthly|off',
    default: 'off',
    description: 'Download current databases in the background when those in use are older than a month.',
    parse: values.parseAutoUpdate,
  }),
  rateLimitGeneral: setting({
    value: 'requests',
    default: String(rates.general.perWindow),
    description: `Requests per ${windowSeconds} seconds per IP address (IPv6: per /64). 0: no limit.`,
    parse: values.parseCount,
  }),
  rateLimitLookup: setting({
    value: 'requests',
    default: String(rates.lookup.perWindow),
    description: `Lookups per ${windowSeconds} seconds per IP address (IPv6: per /64). 0: no limit.`,
    parse: values.parseCount,
  }),
  rateLimitTools: setting({
    value: 'calls',
    default: String(rates.tools.perWindow),
    description: `MCP tool calls per ${windowSeconds} seconds per IP address (IPv6: per /64); each call in a batch counts. 0: no limit.`,
    parse: values.parseCount,
  }),
  rateLimitStore: setting({
    value: 'url',
    default: '',
    description:
      'Redis or Valkey server in which several instances count together: redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path. If empty: each instance counts for itself.',
    parse: values.parseRateStore,
    isSecret: true,
  }),
  rateLimitSecret: setting({
    value: 'text',
    default: '',
    description: `Secret of the address hashes in RATE_LIMIT_STORE, the same for all instances: at least ${values.minSecretLength} random characters.`,
    parse: values.parseSecret,
    isSecret: true,
  }),
  rdapBootstrapUrl: setting({
    value: 'url',
    default: 'https://data.iana.org/rdap',
    description: 'Base URL of the RDAP bootstrap files dns.json, ipv4.json, ipv6.json and asn.json.',
    parse: values.parseUrl,
  }),
  dohUrl: setting({
    value: 'urls',
    default: 'https://cloudflare-dns.com/dns-query,https://dns.google/dns-query',
    description: 'DNS over HTTPS resolvers in order of preference, comma-separated.',
    parse: values.parseUrls,
  }),
  threads: setting({
    value: 'count|auto',
    default: '1',
    description: 'Threads that serve requests; auto: one for each available core. More than one requires Linux.',
    parse: values.parseThreads,
  }),
  maxConnections: setting({
    value: 'count',
    default: '10000',
    description: 'Concurrent connections per port; further ones are closed immediately. 0: no limit.',
    parse: values.parseCount,
  }),
  maxConnectionsPerAddress: setting({
    value: 'count',
    default: '256',
    description: 'Concurrent connections per IP address (IPv6: per /64). 0: no limit.',
    parse: values.parseCount,
  }),
  connectionRate: setting({
    value: 'count',
    default: '50',
    description:
      'New connections per second and IP address (IPv6: per /64), with bursts of four times as many; further ones are closed immediately. 0: no limit.',
    parse: values.parseCount,
  }),
  maxMemory: setting({
    value: 'MiB',
    default: '',
    description:
      'Resident memory in MiB above which new connections are closed immediately. If empty: three quarters of the cgroup limit, or 1024 without one. 0: no limit.',
    parse: values.parseOptionalCount,
  }),
  maxOutbound: setting({
    value: 'count',
    default: '256',
    description: 'Concurrent outbound requests of all lookups; further lookups fail with overloaded. 0: no limit.',
    parse: values.parseCount,
  }),
  metricsPort: setting({
    value: 'port',
    default: 'off',
    description: 'Port for the Prometheus metrics, or off.',
    parse: values.parsePort,
  }),
  metricsHost: setting({
    value: 'address',
    default: '127.0.0.1',
    description: 'Address to serve the metrics on.',
    parse: values.parseText,
  }),
  reusePort: setting({
    value: 'on|off',
    default: 'off',
    description:
      'Whether other processes of the same user may listen on the same ports, so that a new version can start before the old one stops. Linux only.',
    parse: values.parseSwitch,
  }),
  drainDelay: setting({
    value: 'seconds',
    default: '0',
    description:
      'Seconds between a signal to stop and its effect: /readyz responds with 503, so that load balancers send clients elsewhere, and everything else is served.',
    parse: values.parseDelay,
  }),
  logFormat: setting({
    value: 'plain|json',
    default: 'plain',
    description: 'Format of the log: the message of each event, or one JSON object for each event.',
    parse: values.parseLogFormat,
  }),
  logLevel: setting({
    value: 'level',
    default: 'info',
    description: 'Least important level of the log: error, warn or info.',
    parse: values.parseLogLevel,
  }),
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };

/** An invalid setting: a sentence that names it and states what to change. */
export interface SettingProblem {
  readonly problem: string;
}

export const settingNames = Object.keys(settings) as SettingName[];

/** The environment variable of a setting: `tlsPort` is TLS_PORT. */
export const variableOf = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** The flag of a setting, without the dashes: `tlsPort` is tls-port. */
export const flagOf = (name: string): string => variableOf(name).toLowerCase().replaceAll('_', '-');

/** Reads all settings. A flag overrides a variable; an empty value means the default. */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings | SettingProblem {
  const read: Record<string, unknown> = {};
  for (const name of settingNames) {
    const text = flags[flagOf(name)] || environment[variableOf(name)] || settings[name].default;
    try {
      read[name] = settings[name].parse(text);
    } catch (error) {
      const rule = `${variableOf(name)}: ${error instanceof Error ? error.message : error}`;
      return { problem: 'isSecret' in settings[name] ? rule : `${rule}, not "${text}"` };
    }
  }
  const all = withPublicUrl(read as Settings);
  if ((all.tlsCert === null) !== (all.tlsKey === null)) {
    const missing = all.tlsCert === null ? 'tlsCert' : 'tlsKey';
    return { problem: `${variableOf(missing)}: set both TLS_CERT and TLS_KEY, or neither` };
  }
  const insecure = (['publicUrlV4', 'publicUrlV6'] as const).find((name) => all[name]?.startsWith('http:'));
  if (insecure !== undefined && all.publicUrl?.startsWith('https:'))
    return {
      problem: `${variableOf(insecure)}: set an https URL; on an HTTPS page, browsers block requests to plain HTTP`,
    };
  const proxySetting = all.proxyProtocol
    ? 'proxyProtocol'
    : all.trustEdgeHeaders.length > 0
      ? 'trustEdgeHeaders'
      : null;
  if (proxySetting !== null && all.trustProxy.length === 0)
    return { problem: `TRUST_PROXY: set the proxies that ${variableOf(proxySetting)} applies to` };
  if ((all.rateLimitStore === null) !== (all.rateLimitSecret === null)) {
    const missing = all.rateLimitStore === null ? 'rateLimitStore' : 'rateLimitSecret';
    return { problem: `${variableOf(missing)}: set both RATE_LIMIT_STORE and RATE_LIMIT_SECRET, or neither` };
  }
  if (all.port === null && all.tlsPort === null)
    return { problem: 'PORT: PORT and TLS_PORT are both off; set one to a port' };
  const clash = sharedPort(all);
  if (clash !== null) return { problem: clash };
  if (all.redirectHttps && !all.publicUrl?.toLowerCase().startsWith('https:'))
    return { problem: 'PUBLIC_URL: set the https URL to which REDIRECT_HTTPS redirects' };
  const problem = acmeProblem(all);
  return problem === null ? all : { problem };
}

/** With THREADS or REUSE_PORT, the system would not reject a second server on a port but distribute connections among both. */
function sharedPort(all: Settings): string | null {
  const used = new Map<number, SettingName>();
  for (const name of ['port', 'tlsPort', 'metricsPort'] as const) {
    const port = all[name];
    const other = port === null ? undefined : used.get(port);
    if (other !== undefined) return `${variableOf(name)}: ${variableOf(other)} is ${port} too; use different ports`;
    if (port !== null && port !== 0) used.set(port, name);
  }
  return null;
}

function withPublicUrl(all: Settings): Settings {
  const [first] = all.acmeDomain;
  return all.publicUrl !== null || first === undefined ? all : { ...all, publicUrl: `https://${first}` };
}

function acmeProblem({ acmeDomain, acmeTermsAgreed, tlsCert, tlsPort }: Settings): string | null {
  if (acmeDomain.length === 0) return null;
  if (tlsCert !== null)
    return 'ACME_DOMAIN: TLS_CERT is set too; remove one of them, because only one certificate is used';
  if (tlsPort === null)
    return 'ACME_DOMAIN: TLS_PORT is off; set it to a port, because nothing else uses the certificate';
  if (!acmeTermsAgreed)
    return "ACME_TERMS_AGREED: set it to on if you agree to the certificate authority's terms of service (Let's Encrypt: https://letsencrypt.org/repository/); without it, there is no account and no certificate";
  return null;
}
