/** The validating resolver of a simulated internet: unbound on 127.0.0.1 for the system, with DNS over HTTPS at public addresses. */
import { execFile, spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Authority } from './certificates.ts';
import { rebindPort } from './rebinding.ts';
import type { Site } from './site.ts';

const folderOf = (name: string) => join(import.meta.dirname, name);

/** Resolvers that unbound simulates; it supports only HTTP/2. */
const resolverHosts: Readonly<Record<string, readonly string[]>> = {
  'cloudflare-dns.com': ['1.1.1.1', '104.16.248.249', '2606:4700::6810:f8f9'],
  'dns.google': ['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888'],
};

/** Reverse DNS of clients: a name that resolves to the address, and one that does not. */
const pointers: Readonly<Record<string, string>> = {
  '9.0.1.25.in-addr.arpa.': 'client.example.com.',
  '10.0.1.25.in-addr.arpa.': 'www.example.com.',
};

/** Signs the zones of `zones/` into this folder. */
export async function signZones(folder: string): Promise<void> {
  await promisify(execFile)('sh', [folderOf('zones.sh'), folderOf('zones'), folder]);
}

/** Starts unbound; resolves when it responds. It ends with this process. */
export async function startResolver(folder: string, sites: readonly Site[], authority: Authority): Promise<void> {
  const { cert, key } = await authority.sign([...Object.keys(resolverHosts), ...Object.values(resolverHosts).flat()]);
  const zones = (await readdir(folderOf('zones'))).map((file) => file.replace(/\.zone$/, ''));
  await Promise.all([
    writeFile(join(folder, 'dns.pem'), cert),
    writeFile(join(folder, 'dns.key'), key),
    writeFile(join(folder, 'unbound.conf'), configuration(folder, sites, zones)),
  ]);
  const unbound = spawn('setpriv', ['--pdeathsig', 'KILL', 'unbound', '-c', join(folder, 'unbound.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let printed = '';
    unbound.stderr.on('data', (piece) => {
      printed += piece;
      if (printed.includes('start of service')) resolve();
    });
    unbound.once('error', reject);
    unbound.once('exit', () => reject(new Error(`unbound ended: ${printed}`)));
  });
}

function configuration(folder: string, sites: readonly Site[], zones: readonly string[]): string {
  const records = [
    ...Object.entries(resolverHosts),
    ...sites.filter(({ delegated }) => !delegated).map(({ host, addresses = [] }) => [host, addresses] as const),
  ].flatMap(([host, addresses]) =>
    addresses.map((address) => `local-data: "${host}. 60 IN ${address.includes(':') ? 'AAAA' : 'A'} ${address}"`),
  );
  return `
server:
  verbosity: 1
  use-syslog: no
  logfile: ""
  do-daemonize: no
  username: ""
  chroot: ""
  pidfile: ""
  directory: "${folder}"
  interface: 127.0.0.1@53
  ${Object.values(resolverHosts)
    .flat()
    .map((address) => `interface: ${address}@443`)
    .join('\n  ')}
  https-port: 443
  http-endpoint: "/dns-query"
  tls-service-pem: "dns.pem"
  tls-service-key: "dns.key"
  access-control: 0.0.0.0/0 allow
  access-control: ::/0 allow
  module-config: "validator iterator"
  trust-anchor-file: "root.key"
  do-not-query-localhost: no
  ede: yes
  # Returns the same response every time.
  rrset-roundrobin: no
  serve-original-ttl: yes
  local-zone: "test." transparent
  # Drops every query: a name whose DNS never responds.
  local-zone: "no-answer.test." deny
  local-zone: "dns-refused.test." always_refuse
  # Clients whose reverse DNS never responds.
  local-zone: "11.0.1.25.in-addr.arpa." deny
  ${Object.entries(pointers)
    .map(([name, host]) => `local-data: "${name} 60 IN PTR ${host}"`)
    .join('\n  ')}
  domain-insecure: "test."
  ${records.join('\n  ')}
remote-control:
  control-enable: no
forward-zone:
  name: "rebind.test."
  forward-addr: 127.0.0.1@${rebindPort}
  forward-no-cache: yes
${zones
  .map(
    (zone) => `auth-zone:
  name: "${zone === 'root' ? '.' : zone}"
  zonefile: "${zone}.zone.signed"
  for-downstream: no
  for-upstream: yes
  fallback-enabled: no
`,
  )
  .join('')}`;
}
