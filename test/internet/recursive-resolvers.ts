/** Recursive resolvers of Debian, each configured to show as much of itself as it can, below a root of the test's own. */
import { join } from 'node:path';

/** Addresses of the simulated servers; the last ones are of the resolver, of a forwarder before it, and of one that is used over HTTPS. */
export const addresses = {
  root: '10.53.0.1',
  ipv4: '10.53.0.2',
  overTcp: '10.53.0.3',
  ipv6: 'fd53::2',
  resolver: '10.53.0.4',
  resolverIpv6: 'fd53::4',
  forwarder: '10.53.0.5',
  encrypted: '10.53.0.6',
};

export interface Resolver {
  /** Also the name of its Debian package's program. */
  readonly command: string;
  readonly args: (folder: string) => readonly string[];
  /** Configuration files by name. */
  readonly files: (folder: string) => Readonly<Record<string, string>>;
}

const { resolver, resolverIpv6 } = addresses;
const hints = `. 3600 NS root.example.\nroot.example. 3600 A ${addresses.root}\n`;

/** Of unbound, which reads `hints` and answers everybody; `lines` are of its part `server`. */
export const unboundConfiguration = (folder: string, lines: string): string => `
server:
  use-syslog: no
  username: ""
  chroot: ""
  pidfile: ""
  directory: "${folder}"
  access-control: 0.0.0.0/0 allow
  access-control: ::/0 allow
  root-hints: "hints"
${lines}
remote-control:
  control-enable: no
`;

/** Of an unbound with DNS over HTTPS at this address, with `cert.pem` and `key.pem`. */
export const encryptedConfiguration = (folder: string, address: string, rootAddress: string): string =>
  unboundConfiguration(
    folder,
    `
  interface: ${address}@443
  https-port: 443
  tls-service-pem: "cert.pem"
  tls-service-key: "key.pem"
  outgoing-interface: ${address}
  module-config: "iterator"
  # Chromium resolves it to find out whether the resolver works.
  local-data: "www.gstatic.com. A ${rootAddress}"`,
  );

/** Lines for a PowerDNS Recursor, which reads `hints`, answers everybody, and sends the networks of clients. */
export const recursorLines = (folder: string): string => `
allow-from=0.0.0.0/0, ::/0
dont-query=
hint-file=${join(folder, 'hints')}
socket-dir=${folder}
dnssec=off
ecs-add-for=0.0.0.0/0
security-poll-suffix=
write-pid=no
disable-syslog=yes
`;

/** Options of dnsmasq that make it a forwarder without settings of the machine. */
export const forwarderOptions: readonly string[] = [
  '--keep-in-foreground',
  '--conf-file=/dev/null',
  '--no-resolv',
  '--no-hosts',
  '--bind-interfaces',
  '--except-interface=lo',
  '--user=root',
  '--pid-file=',
];

/** Of nsd for `root.zone`. */
export const rootConfiguration = (folder: string, own: readonly string[]): string => `
server:
${own.map((address) => `  ip-address: ${address}\n`).join('')}
  zonesdir: "${folder}"
  zonelistfile: "${join(folder, 'zone.list')}"
  xfrdfile: "${join(folder, 'xfrd.state')}"
  xfrdir: "${folder}"
  database: ""
  pidfile: ""
  username: ""
  logfile: "${join(folder, 'nsd.log')}"
remote-control:
  control-enable: no
zone:
  name: "."
  zonefile: "root.zone"
`;

export const recursiveResolvers = {
  unbound: {
    command: 'unbound',
    args: (folder) => ['-d', '-c', join(folder, 'unbound.conf')],
    files: (folder) => ({
      hints,
      'unbound.conf': unboundConfiguration(
        folder,
        `
  interface: ${resolver}
  outgoing-interface: ${resolver}
  outgoing-interface: ${resolverIpv6}
  module-config: "subnetcache iterator"
  send-client-subnet: ${addresses.ipv4}
  send-client-subnet: ${addresses.ipv6}
  send-client-subnet: ${addresses.overTcp}
  client-subnet-always-forward: yes
  use-caps-for-id: yes
  qname-minimisation: yes
  log-queries: yes`,
      ),
    }),
  },
  bind9: {
    command: 'named',
    args: (folder) => ['-f', '-n', '1', '-c', join(folder, 'named.conf')],
    files: (folder) => ({
      hints,
      'named.conf': `
options {
  directory "${folder}";
  listen-on { ${resolver}; };
  listen-on-v6 { none; };
  query-source address ${resolver};
  query-source-v6 address ${resolverIpv6};
  allow-recursion { any; };
  dnssec-validation no;
  empty-zones-enable no;
  pid-file none;
  session-keyfile none;
};
controls { };
zone "." { type hint; file "hints"; };
`,
    }),
  },
  'knot-resolver': {
    command: 'kresd',
    args: (folder) => ['-n', '-q', '-c', join(folder, 'kresd.conf'), folder],
    files: () => ({
      'kresd.conf': `
net.listen('${resolver}', 53, { kind = 'dns' })
net.outgoing_v4('${resolver}')
net.outgoing_v6('${resolverIpv6}')
cache.size = 10 * MB
modules = { 'hints' }
hints.root({ ['root.example.'] = '${addresses.root}' })
trust_anchors.remove('.')
`,
    }),
  },
  'pdns-recursor': {
    command: 'pdns_recursor',
    args: (folder) => [`--config-dir=${folder}`],
    files: (folder) => ({
      hints,
      'recursor.conf': `
local-address=${resolver}
query-local-address=${resolver}, ${resolverIpv6}
edns-subnet-allow-list=${addresses.ipv4}, ${addresses.ipv6}, ${addresses.overTcp}
${recursorLines(folder)}`,
    }),
  },
} satisfies Readonly<Record<string, Resolver>>;
export type ResolverName = keyof typeof recursiveResolvers;

/** A forwarder, as routers have one, before the resolver. */
export const forwarder = {
  command: 'dnsmasq',
  args: () => [...forwarderOptions, `--listen-address=${addresses.forwarder}`, `--server=${resolver}`],
};

/** A resolver with DNS over HTTPS (RFC 8484); `cert.pem` and `key.pem` must be in its folder. */
export const encryptedResolver = {
  command: 'unbound',
  url: `https://${addresses.encrypted}/dns-query`,
  args: (folder) => ['-d', '-c', join(folder, 'encrypted.conf')],
  files: (folder) => ({
    'encrypted.conf': encryptedConfiguration(folder, addresses.encrypted, addresses.root),
  }),
} satisfies Resolver & { readonly url: string };

/** The server of the root, which delegates a zone for each server. */
export const root: Resolver = {
  command: 'nsd',
  args: (folder) => ['-d', '-c', join(folder, 'nsd.conf')],
  files: (folder) => ({
    'nsd.conf': rootConfiguration(folder, [addresses.root]),
    'root.zone': `
. 3600 SOA root.example. hostmaster.example. 1 3600 600 86400 0
. 3600 NS root.example.
root.example. 3600 A ${addresses.root}
${zonesOf()
  .map(
    ({ zone, server, address }) =>
      `${zone}. 3600 NS ${server}.\n${server}. 3600 ${address.includes(':') ? 'AAAA' : 'A'} ${address}\n`,
  )
  .join('')}`,
  }),
};

/** The zones: of a server with an IPv4 address, one with an IPv6 address, and one whose responses over UDP all have TC. */
export function zonesOf() {
  return (['ipv4', 'ipv6', 'overTcp'] as const).map((name) => {
    const zone = `${name.toLowerCase()}.example`;
    return { name, zone, server: `ns-${zone}`, address: addresses[name] };
  });
}
