/** A network namespace in which a root delegates zones to the service, and unbound is the system's resolver. */
import { type StdioOptions, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../src/core/settings.ts';
import type { Bounds } from '../../src/edges/node/limits/bounds.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { createAuthority } from './certificates.ts';
import { addresses, encryptedResolver, type Resolver, recursiveResolvers, root } from './recursive-resolvers.ts';

/** Commands that a scenario needs, besides those of its own. */
export const programs = ['ip', 'setpriv', root.command, recursiveResolvers.unbound.command];

/** Shell commands that prepare the namespace. Its interface has no peer: WebRTC ignores loopback, and nothing leaves. */
export const setUp = `
  set -e
  ip link set lo up
  ip link add v0 type veth peer name v1
  ip link set v0 arp off up
  ip link set v1 up
  ${Object.values(addresses)
    .map((address) => `ip addr add ${address}/${address.includes(':') ? '64 nodad' : '24'} dev v0`)
    .join('\n')}
  ip route add default dev v0
  ip -6 route add default dev v0
  file=$(mktemp)
  echo nameserver ${addresses.resolver} >$file
  exec unshare --mount sh -c 'mount --bind "$0" /etc/resolv.conf; rm "$0"; exec "$@"' $file "$@"
`;

const network = (asn: number, organization: string) => ({
  autonomous_system_number: asn,
  autonomous_system_organization: organization,
});

/** Clients by what the databases know: of the organization of the resolver, with another number and another form of its name, and of another. */
export const clients = { sameOrganization: '25.1.0.9', other: '25.2.0.9' };

const asnNetworks = {
  [`${addresses.resolver}/32`]: network(64500, 'Example Resolver Ltd'),
  [`${addresses.resolverIpv6}/128`]: network(64500, 'Example Resolver Ltd'),
  [`${clients.sameOrganization}/32`]: network(64501, 'EXAMPLE RESOLVER, LTD.'),
  [`${clients.other}/32`]: network(64502, 'Example Access'),
};

/** Settings of a DNS server with an IPv4 address, and of one with an IPv6 address. */
export const dns = { DNS_ZONE: 'ipv4.example', DNS_NAME_SERVERS: 'ns-ipv4.example', DNS_HOST: addresses.ipv4 };
export const dnsIpv6 = { DNS_ZONE: 'ipv6.example', DNS_NAME_SERVERS: 'ns-ipv6.example', DNS_HOST: addresses.ipv6 };

/** The root and the resolver, started; they end with it. To use in the namespace. */
export class Delegation implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'seenby-delegation-'));
  readonly #log = join(this.folder, 'log');
  readonly #logged = openSync(this.#log, 'a');
  readonly #programs = [root, recursiveResolvers.unbound].map((each) => this.#start(each));

  constructor() {
    const write = (databaseType: string, networks: Parameters<typeof writeMmdb>[0]['networks']): void =>
      writeFileSync(join(this.folder, databaseType), writeMmdb({ databaseType, ipVersion: 6, networks }));
    write('ASN', asnNetworks);
    write('City', {});
  }

  #start({ command, args, files }: Resolver) {
    for (const [file, content] of Object.entries(files(this.folder))) writeFileSync(join(this.folder, file), content);
    const stdio: StdioOptions = ['ignore', this.#logged, this.#logged];
    return spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args(this.folder)], { stdio });
  }

  /** How many queries for names in a zone the resolver of the system has received. */
  countQueries(zone: string): number {
    const lines = readFileSync(this.#log, 'utf8').split('\n');
    return lines.filter((line) => line.includes(' info: ') && line.includes(`.${zone}. `)).length;
  }

  /** Starts a resolver with DNS over HTTPS beside that of the system; returns its certificate (PEM), which no browser knows. */
  async startEncryptedResolver(): Promise<string> {
    const { cert, key } = await (await createAuthority()).sign([addresses.encrypted]);
    writeFileSync(join(this.folder, 'cert.pem'), cert);
    writeFileSync(join(this.folder, 'key.pem'), key);
    this.#programs.push(this.#start(encryptedResolver));
    return cert;
  }

  /** Starts the service on a port of its own; it takes the address of a client from X-Forwarded-For. */
  async serve(environment: Readonly<Record<string, string>>, bounds: Partial<Bounds> = {}): Promise<Service> {
    const settings = readSettings(
      {},
      {
        HOST: addresses.ipv4,
        PORT: '0',
        TLS_PORT: 'off',
        TRUST_PROXY: '10.53.0.0/16',
        DATA_DIR: join(this.folder, 'data'),
        GEOIP_ASN: join(this.folder, 'ASN'),
        GEOIP_CITY: join(this.folder, 'City'),
        ...('DNS_ZONE' in environment && { DNS_ADDRESSES: addresses.ipv4 }),
        ...environment,
      },
    );
    if ('problem' in settings) throw new Error(settings.problem);
    return startNode(settings, bounds);
  }

  [Symbol.dispose](): void {
    for (const program of this.#programs) program.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
