/** The list of settings; each is a flag and an environment variable. */
import { isInZone } from '../wire/dns/name.ts';
import { isPublicAddress, isWithin, networks, parseAddress } from './address.ts';
import {
  dnsResponsesPerSecond,
  documentMegabytes,
  keyExchangeGroups,
  maxPort,
  messagesPerToolCall,
  rates,
  stunResponsesPerSecond,
  windowSeconds,
} from './limits.ts';
import * as values from './setting-values.ts';

export const settings = {
  host: values.optional(values.text('address'))('Address to listen on. If empty: all, IPv6 and IPv4.'),
  port: values.port('HTTP port, or off.', '8080'),
  tlsPort: values.port('HTTPS port (HTTP/2 and HTTP/1.1), or off.', '8443'),
  http3Port: values.port(
    'UDP port for HTTP/3, usually with the number of TLS_PORT, or off. Requires TLS_PORT, Linux, and Node 26.',
    'off',
  ),
  tlsCert: values.optional(values.text('file'))(
    'Certificate chain (PEM), reloaded on change. If empty: a certificate for localhost, generated at startup.',
  ),
  tlsKey: values.optional(values.text('file'))('Private key (PEM) for TLS_CERT, reloaded on change.'),
  tlsGroups: values.tlsGroups(
    'Groups for the key exchange over TLS and HTTP/3, comma-separated, in order of preference. P-521 and the finite fields cost up to nine times as much as X25519.',
    keyExchangeGroups.join(','),
  ),
  tlsOldSuites: values.onOff(
    'Whether TLS 1.2 also offers cipher suites without forward secrecy or with CBC, for those who want to observe old clients.',
    'off',
  ),
  acmeDomain: values.certifiedNames(
    'Domain names and IP addresses of this service, comma-separated, for which a certificate is obtained from ACME_DIRECTORY and renewed. Port 80 or 443 of each must reach PORT or TLS_PORT. Requires ACME_TERMS_AGREED. If empty: no such certificate.',
  ),
  acmeEmail: values.optional(values.email)(
    'Email address for the account at the certificate authority. If empty: none.',
  ),
  acmeEabKid: values.optional(values.chosenName('id'))(
    'Key identifier of an account at the website of the certificate authority, which some require (external account binding). If empty: none.',
  ),
  acmeEabHmacKey: values.optional(values.hmacKey)('HMAC key of ACME_EAB_KID, in Base64url.'),
  acmeDirectory: values.httpsUrl(
    "ACME directory of the certificate authority; the default is Let's Encrypt.",
    'https://acme-v02.api.letsencrypt.org/directory',
  ),
  acmeProfile: values.optional(values.chosenName('name'))(
    "Profile of the certificates, such as shortlived of Let's Encrypt. If empty: the certificate authority chooses.",
  ),
  acmeTermsAgreed: values.onOff("Whether you agree to the certificate authority's terms of service.", 'off'),
  publicUrl: values.optional(values.origin)(
    'Public URL of the service, without a path. If empty: https:// and the first name of ACME_DOMAIN, else scheme and host of each request.',
  ),
  publicUrlV4: values.optional(values.origin)(
    'URL of this service on a host name with only an A record (IPv4). The start page requests it to show the IPv4 address. If empty: not requested.',
  ),
  publicUrlV6: values.optional(values.origin)(
    'URL of this service on a host name with only an AAAA record (IPv6). The start page requests it to show the IPv6 address. If empty: not requested.',
  ),
  redirectHttps: values.onOff(
    'Whether browsers that request a page over plain HTTP are redirected to PUBLIC_URL, which must then be an https URL, or to PUBLIC_URL_V4 or PUBLIC_URL_V6 if they requested its host. Other clients, such as curl, are not.',
    'off',
  ),
  dnsZone: values.optional(values.zone)(
    'DNS zone that is delegated to this service, such as dns.seenby.example; it shows clients their DNS resolvers. Requires DNS_NAME_SERVERS. If empty: no DNS server.',
  ),
  dnsPort: values.openPort('UDP and TCP port of the DNS server. Resolvers send queries only to port 53.', '53'),
  dnsHost: values.addresses(
    'Addresses of the DNS server, comma-separated. If empty: HOST, else at most 64 addresses of the machine, without 127.0.0.0/8 and ::1.',
  ),
  dnsNameServers: values.domains(
    'Name servers in the NS records of DNS_ZONE, comma-separated. Each name must resolve to this service and lie outside of the zone.',
  ),
  dnsAddresses: values.addresses(
    "Public IP addresses of this service, comma-separated; names in DNS_ZONE resolve to them. If empty: those of PUBLIC_URL's host, resolved at startup and every hour.",
  ),
  contact: values.optional(values.contact)(
    'Email address or https URL of the operator, shown to clients that need higher limits. If empty: none.',
  ),
  wellKnownDir: values.optional(values.text('folder'))(
    'Folder of files to serve below /.well-known/ as text or JSON, such as mcp-registry-auth or a security.txt: at most 16 of 4 KiB each, read at the start. If empty: none.',
  ),
  colo: values.optional(values.colo)(
    'IATA code of the data center, such as FRA, which responses report as network.colo. If empty: null, or what CF-Ray states if TRUST_EDGE_HEADERS has cf.',
  ),
  trustProxy: values.networks(
    'Trusted proxies, comma-separated: addresses, CIDR blocks, loopback, private, cloudflare. If empty: none.',
  ),
  trustProxyHeader: values.headerName(
    'The only header of these proxies that sets the client address.',
    'x-forwarded-for',
  ),
  trustEdgeHeaders: values.edgeHeaderSets(
    'Other headers to trust from these proxies: x-edge, cf (Cloudflare) or both, comma-separated. Only for proxies that delete client-sent copies.',
  ),
  proxyProtocol: values.onOff(
    'Whether connections from these proxies start with a PROXY protocol header (version 1 or 2).',
    'off',
  ),
  geoipCity: values.optional(values.files)(
    'City database (MaxMind format; one file, or an IPv4 and an IPv6 file, comma-separated), reloaded on change. If empty: the one in DATA_DIR, else the embedded DB-IP database.',
  ),
  geoipAsn: values.optional(values.files)(
    'ASN database, in the same format, reloaded on change. If empty: the one in DATA_DIR, else the embedded one (Route Views, NRO, DB-IP).',
  ),
  dataDir: values.text('folder')(
    'Folder for downloaded and converted databases, and for the keys and certificates of ACME_DOMAIN. The default is in the clone; an installed package uses the data folder of the user.',
    'data',
  ),
  geoipUrl: values.url('Base URL for the downloads of geo update.', 'https://download.db-ip.com/free'),
  geoipAutoUpdate: values.autoUpdate(
    'Download current databases in the background when those in use are older than a month.',
    'off',
  ),
  rateLimitGeneral: values.count('requests')(
    `Requests per ${windowSeconds} seconds per IP address (IPv6: per /64). 0: no limit.`,
    String(rates.general.perWindow),
  ),
  rateLimitLookup: values.count('requests')(
    `Lookups per ${windowSeconds} seconds per IP address (IPv6: per /64). 0: no limit.`,
    String(rates.lookup.perWindow),
  ),
  rateLimitTools: values.count('calls')(
    `MCP tool calls per ${windowSeconds} seconds per IP address (IPv6: per /64); each call in a batch counts. Messages of every kind have ${messagesPerToolCall} times this limit. 0: no limit.`,
    String(rates.tools.perWindow),
  ),
  rateLimitDocuments: values.count('MB')(
    `Megabytes of documents, such as /docs and /openapi.json, sent per ${windowSeconds} seconds per IP address (IPv6: per /64). Each instance counts for itself. 0: no limit.`,
    String(documentMegabytes),
  ),
  rateLimitDns: values.count('responses')(
    'DNS responses over UDP per second to one network (/24, IPv6: /48). Above it, responses only tell the resolver to use TCP; above four times as many, only one datagram in four gets one. Datagrams that get no response count, too. 0: no limit.',
    String(dnsResponsesPerSecond),
  ),
  rateLimitStun: values.count('responses')(
    'STUN responses per second to one IP address (IPv6: per /64). Above it, there are none. 0: no limit.',
    String(stunResponsesPerSecond),
  ),
  rateLimitStore: values.optional(values.rateStore)(
    'Redis or Valkey server in which several instances count together, share the certificate of ACME_DOMAIN, and pass on DNS queries of tests: redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path. If empty: each instance counts for itself.',
  ),
  rateLimitSecret: values.optional(values.secret)(
    `Secret of the address hashes, messages and keys in RATE_LIMIT_STORE, the same for all instances: at least ${values.minSecretLength} random characters.`,
  ),
  rdapBootstrapUrl: values.url(
    'Base URL of the RDAP bootstrap files dns.json, ipv4.json, ipv6.json and asn.json.',
    'https://data.iana.org/rdap',
  ),
  dohUrl: values.resolverUrls(
    'DNS over HTTPS resolvers in order of preference, comma-separated; plain http only on this machine.',
    'https://cloudflare-dns.com/dns-query,https://dns.google/dns-query',
  ),
  threads: values.threads(
    'Threads that serve requests, at most four for each available core; auto: one for each, but no more than fit into the memory. More than one requires Linux.',
    '1',
  ),
  maxConnections: values.count('count')(
    'Concurrent connections per port. Above 80% (HTTP/3: 100%), a new connection replaces an idle one or one still sending its request, of the address or network with the most connections. Above 100%, it is closed if none can be replaced. 0: no limit.',
    '10000',
  ),
  maxConnectionsPerAddress: values.count('count')(
    'Concurrent connections per IP address (IPv6: per /64). 0: no limit.',
    '256',
  ),
  connectionRate: values.count('count')(
    'New connections per second and IP address (IPv6: per /64), with bursts of four times as many; further ones are closed immediately. 0: no limit.',
    '50',
  ),
  maxMemory: values.optional(values.count('MiB'))(
    "Memory in MiB above which new connections are closed immediately: resident memory without mapped files, of the process that serves. If empty, three quarters of the cgroup limit; without one, 1024 plus 48 per further thread plus the size of the databases in memory, but at most half of the machine's memory. HTTP/3 takes a part of either. 0: no limit.",
  ),
  maxOutbound: values.count('count')(
    'Concurrent outbound requests of all lookups, at most a tenth of them for one IP address (IPv6: per /64; at least 4) and a quarter for one network (/24, IPv6: /48); further lookups fail with overloaded. 0: no limit.',
    '256',
  ),
  stunPort: values.port(
    'UDP port of the STUN server (RFC 8489), usually 3478, or off. It shows browsers the address and port that WebRTC reveals.',
    'off',
  ),
  stunHost: values.optional(values.host)(
    'Host name or IP address under which clients reach the STUN server, which listens on HOST. If empty: the host of PUBLIC_URL. Required behind a CDN, which does not forward UDP.',
  ),
  stunMappingTest: values.onOff(
    'Whether STUN is also served on the port after STUN_PORT. This shows clients whether their NAT uses a different port for each destination.',
    'off',
  ),
  portCheck: values.onOff(
    'Whether clients may check if a TCP port of their own public address is open; the service then connects to it. Not on Cloudflare Workers.',
    'off',
  ),
  metricsPort: values.port('Port for the Prometheus metrics, or off.', 'off'),
  metricsHost: values.text('address')('Address to serve the metrics on.', '127.0.0.1'),
  reusePort: values.onOff(
    'Whether other processes of the same user may listen on the same ports, so that a new version can start before the old one stops. Linux only.',
    'off',
  ),
  drainDelay: values.delay(
    'Seconds between a signal to stop and its effect. Meanwhile, /readyz responds with 503, so that load balancers send clients elsewhere; everything else is served.',
    '0',
  ),
  logFormat: values.logFormat(
    'Format of the log: the message of each event, or one JSON object for each event.',
    'plain',
  ),
  logLevel: values.logLevel('Lowest level that is logged: error, warn or info.', 'info'),
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };

export const settingNames = Object.keys(settings) as SettingName[];

/** The environment variable of a setting: `tlsPort` is TLS_PORT. */
export const variableOf = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** The flag of a setting, without the dashes: `tlsPort` is tls-port. */
export const flagOf = (name: string): string => variableOf(name).toLowerCase().replaceAll('_', '-');

type Texts = Readonly<Record<string, string | undefined>>;

/**
 * Reads all settings. A flag overrides a variable; an empty value means the default. If one is invalid, the problem is a sentence that
 * names it and states what to change. Settings that are not in `needed` cause no problem: an invalid one has its default.
 */
export function readSettings(
  flags: Texts,
  environment: Texts,
  needed: readonly SettingName[] = settingNames,
): Settings | { readonly problem: string } {
  const unneeded = settingNames.filter((name) => !needed.includes(name));
  const defaults = Object.fromEntries(unneeded.map((name) => [name, settings[name].parse(settings[name].default)]));
  const read: Record<string, unknown> = { ...defaults };
  for (const name of settingNames) {
    const text = flags[flagOf(name)] || environment[variableOf(name)] || settings[name].default;
    try {
      read[name] = settings[name].parse(text);
    } catch (error) {
      if (name in defaults) continue;
      const rule = `${variableOf(name)}: ${error instanceof Error ? error.message : error}`;
      return { problem: settings[name].isSecret ? rule : `${rule}, not "${text}"` };
    }
  }
  const { publicUrl, acmeDomain, ...others } = read as Settings;
  const [name] = acmeDomain;
  const byDefault = name === undefined ? null : `https://${name.includes(':') ? `[${name}]` : name}`;
  const all = { ...others, acmeDomain, publicUrl: publicUrl ?? byDefault };
  const [problem] = contradictionsOf({ ...all, ...defaults });
  return problem === undefined ? all : { problem };
}

/** Yields a sentence for each setting that contradicts others: its variable, and what to change. */
function* contradictionsOf(all: Settings): Generator<string> {
  const { publicUrl, trustProxy, proxyProtocol, trustEdgeHeaders, port, tlsPort, http3Port } = all;
  const isPublicHttps = publicUrl?.startsWith('https:') ?? false;
  yield* missingPartner(all, 'tlsCert', 'tlsKey');
  for (const name of ['publicUrlV4', 'publicUrlV6'] as const)
    if (isPublicHttps && all[name]?.startsWith('http:'))
      yield `${variableOf(name)}: set an https URL; on an HTTPS page, browsers block requests to plain HTTP`;
  if (trustProxy.length === 0 && (proxyProtocol || trustEdgeHeaders.length > 0))
    yield `TRUST_PROXY: set the proxies that ${proxyProtocol ? 'PROXY_PROTOCOL' : 'TRUST_EDGE_HEADERS'} applies to`;
  yield* missingPartner(all, 'rateLimitStore', 'rateLimitSecret');
  yield* missingPartner(all, 'acmeEabKid', 'acmeEabHmacKey');
  if (port === null && tlsPort === null) yield 'PORT: PORT and TLS_PORT are both off; set one to a port';
  yield* samePorts(all);
  if (http3Port !== null && tlsPort === null)
    yield 'HTTP3_PORT: TLS_PORT is off; set it to a port, because clients learn of HTTP/3 over HTTPS';
  yield* contradictionsOfDns(all);
  yield* contradictionsOfStun(all);
  if (all.redirectHttps && !isPublicHttps) yield 'PUBLIC_URL: set the https URL to which REDIRECT_HTTPS redirects';
  if (all.acmeDomain.length === 0) return;
  if (all.tlsCert !== null)
    yield 'ACME_DOMAIN: TLS_CERT is set too; remove one of them, because only one certificate is used';
  // An authority in the network of the service may reach any of its addresses.
  const isLetsEncrypt = /^https:\/\/[^/]+\.letsencrypt\.org\//i.test(all.acmeDirectory);
  for (const name of isLetsEncrypt ? all.acmeDomain : []) {
    const address = parseAddress(name);
    if (address !== null && !isPublicAddress(address))
      yield `ACME_DOMAIN: Let's Encrypt cannot reach ${name}, a private or reserved address; use the public address or a domain name, or set ACME_DIRECTORY to a certificate authority of your network`;
  }
  if (tlsPort === null)
    yield 'ACME_DOMAIN: TLS_PORT is off; set it to a port, because nothing else uses the certificate';
  if (!all.acmeTermsAgreed)
    yield "ACME_TERMS_AGREED: set it to on if you agree to the certificate authority's terms of service (Let's Encrypt: https://letsencrypt.org/repository/); without it, there is no account and no certificate";
}

function* missingPartner(all: Settings, one: SettingName, other: SettingName): Generator<string> {
  const [missing, ...more] = [one, other].filter((name) => all[name] === null);
  if (missing !== undefined && more.length === 0)
    yield `${variableOf(missing)}: set both ${variableOf(one)} and ${variableOf(other)}, or neither`;
}

/** Settings of ports, by protocol. */
const tcpPorts = ['port', 'tlsPort', 'metricsPort', 'dnsPort'] as const;
const udpPorts = ['http3Port', 'dnsPort', 'stunPort'] as const;

/** With THREADS or REUSE_PORT, the system would not reject a second server on a port but distribute connections among both. */
function* samePorts(all: Settings): Generator<string> {
  const { dnsZone, stunPort, stunMappingTest } = all;
  for (const names of [tcpPorts, udpPorts]) {
    // With 0, the system chooses a free port.
    const used = names.filter((name) => all[name] && (name !== 'dnsPort' || dnsZone !== null));
    const ports = used.map((name) => ({ variable: variableOf(name), port: all[name] }));
    if (names === udpPorts && stunPort && stunMappingTest)
      ports.unshift({ variable: 'STUN_PORT + 1', port: stunPort + 1 });
    for (const [at, { variable, port }] of ports.entries()) {
      const other = ports.slice(0, at).find((each) => each.port === port);
      if (other !== undefined) yield `${variable}: ${other.variable} is ${port} too; use different ports`;
    }
  }
}

function* contradictionsOfStun({ stunPort, stunMappingTest }: Settings): Generator<string> {
  if ((stunPort === 0 || stunPort === maxPort) && stunMappingTest)
    yield `STUN_PORT: set a port from 1 to ${maxPort - 1}, because STUN_MAPPING_TEST uses the next one`;
}

function* contradictionsOfDns(all: Settings): Generator<string> {
  const { dnsZone: zone, dnsNameServers: nameServers, dnsAddresses: addresses, acmeDomain, publicUrl, stunHost } = all;
  if (zone === null) return;
  if (nameServers.length === 0) yield 'DNS_NAME_SERVERS: set the names from the NS records of DNS_ZONE';
  const inside = nameServers.find((name) => isInZone(name, zone));
  if (inside !== undefined)
    yield `DNS_NAME_SERVERS: ${inside} lies in DNS_ZONE, which cannot contain its own name servers; use a name outside of it`;
  if (addresses.length === 0 && publicUrl === null)
    yield 'DNS_ADDRESSES: set the public IP addresses of this service, or set PUBLIC_URL to a host with these addresses';
  const ofTests = 'lies in DNS_ZONE, which contains only test names; use another zone';
  for (const name of ['publicUrl', 'publicUrlV4', 'publicUrlV6'] as const) {
    const host = values.hostOf(all[name]);
    if (host !== null && isInZone(host, zone)) yield `${variableOf(name)}: ${host} ${ofTests}`;
  }
  if (stunHost !== null && isInZone(stunHost, zone)) yield `STUN_HOST: ${stunHost} ${ofTests}`;
  const domain = acmeDomain.find((each) => isInZone(each, zone));
  if (domain !== undefined) yield `ACME_DOMAIN: ${domain} ${ofTests}`;
}

/** Yields a sentence about each setting that is set and has no effect because of another one. */
export function* describeUnused(all: Settings): Generator<string> {
  if (all.tlsCert !== null && all.tlsPort === null) yield 'TLS_CERT has no effect, because TLS_PORT is off';
  for (const name of ['acmeEmail', 'acmeEabKid', 'acmeProfile', 'acmeTermsAgreed'] as const)
    if (all[name] && all.acmeDomain.length === 0)
      yield `${variableOf(name)} has no effect, because ACME_DOMAIN is not set`;
  if (all.trustProxyHeader !== settings.trustProxyHeader.default && all.trustProxy.length === 0)
    yield 'TRUST_PROXY_HEADER has no effect, because TRUST_PROXY is not set';
  for (const name of ['dnsNameServers', 'dnsHost', 'dnsAddresses'] as const)
    if (all.dnsZone === null && all[name].length > 0)
      yield `${variableOf(name)} has no effect, because DNS_ZONE is not set`;
  for (const name of ['stunHost', 'stunMappingTest'] as const)
    if (all.stunPort === null && all[name]) yield `${variableOf(name)} has no effect, because STUN_PORT is off`;
  if (all.stunPort !== null && all.stunHost === null && all.publicUrl === null)
    yield 'STUN_PORT has no effect on pages, because its host is unknown; set STUN_HOST or PUBLIC_URL';
  else if (all.stunPort === 0) yield 'STUN_PORT has no effect on pages, because the system chooses the port; set one';
  if (all.redirectHttps && all.port === null) yield 'REDIRECT_HTTPS has no effect, because PORT is off';
  yield* describeUnreachable(all);
}

/** Names servers of UDP without effect: clients reach them directly, although HOST lets only a proxy on this machine reach the others. */
function* describeUnreachable({ host, stunPort, dnsZone, dnsHost }: Settings): Generator<string> {
  const address = host === null ? null : parseAddress(host);
  if (address === null || !isWithin(networks.loopback ?? [], address)) return;
  const reason = `has no effect on other machines, because HOST is ${host}`;
  if (stunPort !== null) yield `STUN_PORT ${reason}; leave HOST empty, and block the other ports in the firewall`;
  if (dnsZone !== null && dnsHost.length === 0) yield `DNS_ZONE ${reason}; set DNS_HOST to the public addresses`;
}
