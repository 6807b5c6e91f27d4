/** Runs in the namespace of the servers: prepares each situation, lets the visitor run the test, and prints what the page shows in each. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../../src/core/settings.ts';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { type Situation, situations } from './situations.ts';
import { conditions } from './situations-conditions.ts';
import {
  allAddresses,
  encryptedUrl,
  onlyIpv4,
  onlyIpv6,
  organizations,
  resolvers,
  Servers,
  service,
  stunHost,
  tunnel,
  visitor,
  zone,
} from './situations-servers.ts';
import type { Shown, Visit } from './situations-visitor.ts';

const program = fileURLToPath(new URL('situations-visitor.ts', import.meta.url));
const peer = process.argv.at(-1) ?? '';
const inVisitor = ['nsenter', '--net', '--target', peer];

function run(commands: string, where: readonly string[] = [], input = ''): void {
  const [command = '', ...args] = [...where, 'sh', '-ec', commands];
  const { status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${commands}: ${stderr}`);
}

/** Gives the visitor its addresses and the rules of its condition. */
function prepare({ versions, condition }: Situation): void {
  const addresses = {
    4: `ip addr add ${visitor.ipv4}/8 dev outside; ip addr add ${tunnel}/32 dev outside; ip route replace default dev outside`,
    6: `ip addr add ${visitor.ipv6}/32 dev outside nodad; ip -6 route replace default dev outside`,
  };
  run(
    `nft flush ruleset; ip addr flush dev outside scope global; ${versions.map((each) => addresses[each]).join('; ')}`,
    inVisitor,
  );
  run('nft flush ruleset');
  if (condition === undefined) return;
  const { at, chains } = conditions[condition];
  run('nft -f -', at === 'visitor' ? inVisitor : [], `table inet situation {\n${chains}\n}`);
}

async function visit(visited: Visit, nameServers: readonly string[]): Promise<Shown> {
  const file = join(servers.folder, 'resolv.conf');
  writeFileSync(file, nameServers.map((each) => `nameserver ${each}\n`).join(''));
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', program, JSON.stringify(visited)];
  const script = 'mount --bind "$0" /etc/resolv.conf; exec "$@"';
  const [first = '', ...rest] = [...inVisitor, 'unshare', '--mount', 'sh', '-ec', script, file, ...command];
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as Shown;
}

run(
  `ip addr flush dev inside; ${allAddresses.map((each) => `ip addr add ${each}/${each.includes(':') ? '32 nodad' : '8'} dev inside`).join('; ')}`,
);
using servers = new Servers();
const certificate = await servers.start();
const networks = Object.entries(organizations).flatMap(([name, { asn, networks: each }]) =>
  each.map((network) => [network, { autonomous_system_number: asn, autonomous_system_organization: name }] as const),
);
writeFileSync(
  join(servers.folder, 'ASN'),
  writeMmdb({ databaseType: 'ASN', ipVersion: 6, networks: Object.fromEntries(networks) }),
);
writeFileSync(join(servers.folder, 'City'), writeMmdb({ databaseType: 'City', ipVersion: 6, networks: {} }));
const settings = readSettings(
  {},
  {
    PORT: '80',
    TLS_PORT: 'off',
    DATA_DIR: join(servers.folder, 'data'),
    GEOIP_ASN: join(servers.folder, 'ASN'),
    GEOIP_CITY: join(servers.folder, 'City'),
    PUBLIC_URL_V4: `http://${onlyIpv4}`,
    PUBLIC_URL_V6: `http://${onlyIpv6}`,
    DNS_ZONE: zone,
    DNS_NAME_SERVERS: 'ns.example',
    DNS_HOST: `${service.ipv4},${service.ipv6}`,
    DNS_ADDRESSES: service.ipv4,
    STUN_PORT: '3478',
    STUN_HOST: stunHost,
    STUN_MAPPING_TEST: 'on',
  },
);
if ('problem' in settings) throw new Error(settings.problem);
const running = await startNode(settings);
const shown: Record<string, Shown> = {};
/** A browser, or a part of the name of a situation. */
const chosen = process.argv[2] ?? '';
for (const [name, situation] of Object.entries(situations)) {
  const { browser, versions, setting = null, row, findings } = situation;
  if (browser !== chosen && !name.includes(chosen)) continue;
  prepare(situation);
  const isEncrypted = situation.resolvers[0] === 'encrypted';
  const ofFamily = versions.includes(4) ? 'ipv4' : 'ipv6';
  const url = ofFamily === 'ipv4' ? `http://${service.ipv4}` : `http://[${service.ipv6}]`;
  const encrypted = isEncrypted ? { url: encryptedUrl, certificate } : null;
  // Beside encrypted DNS, browsers have the resolver of the system.
  const names = isEncrypted ? (['provider'] as const) : situation.resolvers;
  const fileName = name.replace(/\W+/g, '-');
  shown[name] = await visit(
    { name: fileName, browser, url, encrypted, setting, expected: { row, findings } },
    names.map((each) => resolvers[each][ofFamily]),
  );
}
await running.close();
process.stdout.write(JSON.stringify(shown));
