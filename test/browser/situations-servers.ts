/** A small internet of its own: the service with its DNS and STUN servers, a root, resolvers of several kinds, and what lies between. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuthority } from '../internet/certificates.ts';
import {
  encryptedConfiguration,
  forwarderOptions,
  recursorLines,
  rootConfiguration,
  unboundConfiguration,
} from '../internet/recursive-resolvers.ts';

/** The addresses of a server, as all here have them; in networks that are public, because what is private has another meaning. */
export interface Host {
  readonly ipv4: string;
  readonly ipv6: string;
}

/** A host of the network of a number: 0 is that of the service, 1 that of the provider of the visitors. */
const hostOf = (network: number, host: number): Host => ({
  ipv4: `25.53.${network}.${host}`,
  ipv6: `2a00:5300:${network}::${host}`,
});

const root = hostOf(0, 1);
export const service = hostOf(0, 2);
export const visitor: Host = { ipv4: '25.1.0.9', ipv6: '2a00:5300:101::9' };
/** The other end of a tunnel for web pages only. */
export const tunnel = '25.2.0.9';
/** Private addresses of a gateway before the service. */
export const gateway: Host = { ipv4: '172.17.0.1', ipv6: 'fd17::1' };
export const stunHost = 'stun.example';
/** Hosts of the service with one IP version. */
export const onlyIpv4 = 'ipv4.example';
export const onlyIpv6 = 'ipv6.example';
export const zone = 'dns.example';
export const encryptedUrl = 'https://25.53.5.1/dns-query';

/** Resolvers to which a visitor's `resolv.conf` can point. */
export const resolvers = {
  /** Of the provider: asks over IPv4, without signatures. */
  provider: hostOf(1, 1),
  /** Public: asks over IPv6, with signatures. */
  public: hostOf(4, 1),
  /** With DNS over HTTPS, at `encryptedUrl`; it does not respond to others. */
  encrypted: hostOf(5, 1),
  /** A forwarder that asks the provider's and the public one. */
  both: hostOf(1, 2),
  /** Forwarders to that of the provider: with a list of blocked names, and with an IPv6 address only for the STUN server. */
  filtering: hostOf(1, 3),
  onlyIpv6: hostOf(1, 4),
  /** A second late. */
  slow: hostOf(1, 5),
  /** Silent. */
  down: hostOf(1, 6),
} satisfies Readonly<Record<string, Host>>;
export type ResolverName = keyof typeof resolvers;

const slowMs = 1_000;

/** Networks by what the database of the service knows of them. */
export const organizations = {
  'Example Access': { asn: 64501, networks: ['25.1.0.0/16', '25.53.1.0/24', '2a00:5300:1::/48', '2a00:5300:101::/48'] },
  'Example VPN': { asn: 64502, networks: ['25.2.0.0/16'] },
  'Example Public DNS': { asn: 64504, networks: ['25.53.4.0/24', '2a00:5300:4::/48'] },
  'Example Encrypted DNS': { asn: 64505, networks: ['25.53.5.0/24', '2a00:5300:5::/48'] },
};

export const allAddresses = [root, service, ...Object.values(resolvers), gateway].flatMap(({ ipv4, ipv6 }) => [
  ipv4,
  ipv6,
]);

const hints = `. 3600 NS root.example.\nroot.example. 3600 A ${root.ipv4}\nroot.example. 3600 AAAA ${root.ipv6}\n`;

const rootZone = `
. 3600 SOA root.example. hostmaster.example. 1 3600 600 86400 0
${hints}
${zone}. 3600 NS ns.example.
${['ns.example', stunHost, onlyIpv4].map((name) => `${name}. 60 A ${service.ipv4}\n`).join('')}
${['ns.example', stunHost, onlyIpv6].map((name) => `${name}. 60 AAAA ${service.ipv6}\n`).join('')}`;

const filesOf = (folder: string): Readonly<Record<string, string>> => ({
  hints,
  'root.zone': rootZone,
  'nsd.conf': rootConfiguration(folder, [root.ipv4, root.ipv6]),
  'recursor.conf': `
local-address=${resolvers.provider.ipv4}, ${resolvers.provider.ipv6}
query-local-address=${resolvers.provider.ipv4}
edns-subnet-allow-list=${service.ipv4}
${recursorLines(folder)}`,
  'public.conf': unboundConfiguration(
    folder,
    `
  interface: ${resolvers.public.ipv4}
  interface: ${resolvers.public.ipv6}
  outgoing-interface: ${resolvers.public.ipv6}
  module-config: "iterator"
  do-ip4: yes
  prefer-ip6: yes`,
  ),
  'encrypted.conf': encryptedConfiguration(folder, resolvers.encrypted.ipv4, root.ipv4),
});

const forwarder = ({ ipv4, ipv6 }: Host, ...options: readonly string[]): readonly string[] => [
  'dnsmasq',
  ...forwarderOptions,
  `--listen-address=${ipv4}`,
  `--listen-address=${ipv6}`,
  // From its own address.
  `--server=${resolvers.provider.ipv4}@${ipv4}`,
  '--cache-size=0',
  ...options,
];

const programsOf = (folder: string): readonly (readonly string[])[] => [
  ['nsd', '-d', '-c', join(folder, 'nsd.conf')],
  ['pdns_recursor', `--config-dir=${folder}`],
  ['unbound', '-d', '-c', join(folder, 'public.conf')],
  ['unbound', '-d', '-c', join(folder, 'encrypted.conf')],
  forwarder(resolvers.both, '--all-servers', `--server=${resolvers.public.ipv4}@${resolvers.both.ipv4}`),
  forwarder(resolvers.filtering, `--address=/${stunHost}/`),
  forwarder(resolvers.onlyIpv6, `--local=/${stunHost}/`, `--host-record=${stunHost},${service.ipv6}`),
];

/** All servers but the service, started; they end with it. To use in the namespace. */
export class Servers implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'seenby-situations-'));
  readonly #programs: ChildProcess[] = [];
  readonly #sockets: Socket[] = [];

  /** Returns the certificate (PEM) of the encrypted resolver. */
  async start(): Promise<string> {
    const { cert, key } = await (await createAuthority()).sign([resolvers.encrypted.ipv4]);
    const files = { ...filesOf(this.folder), 'cert.pem': cert, 'key.pem': key };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    const log = openSync(join(this.folder, 'log'), 'a');
    for (const program of programsOf(this.folder))
      this.#programs.push(spawn('setpriv', ['--pdeathsig', 'KILL', ...program], { stdio: ['ignore', log, log] }));
    for (const address of Object.values(resolvers.slow)) await this.#openRelay(address);
    for (const address of Object.values(resolvers.down)) await this.#open(address);
    return cert;
  }

  async #open(address: string, port = 53): Promise<Socket> {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4').bind(port, address);
    this.#sockets.push(socket);
    await once(socket, 'listening');
    return socket;
  }

  /** Passes queries on to the provider's resolver, each from a port of its own. */
  async #openRelay(address: string): Promise<void> {
    const socket = await this.#open(address);
    socket.on('message', async (query, client) => {
      await delay(slowMs);
      const onward = await this.#open(resolvers.slow.ipv4, 0);
      onward.once('message', (response) => socket.send(response, client.port, client.address));
      onward.send(query, 53, resolvers.provider.ipv4);
    });
  }

  [Symbol.dispose](): void {
    for (const program of this.#programs) program.kill('SIGKILL');
    for (const socket of this.#sockets) socket.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
