/**
 * Runs in a network namespace with a root (NSD), servers of `seen.example` (BIND and NSD), a resolver that validates (unbound), and the
 * service's DNS server. Checks the zone with each fault, does what the first line says, and checks again. Prints what it found.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import { runZoneCheck } from '../../src/cli/delegation/run.ts';
import { readSettings } from '../../src/core/settings.ts';
import { createZone } from '../../src/edges/dns/zone.ts';
import { Responder } from '../../src/ingress/dns/responder.ts';
import { DnsServer } from '../../src/ingress/dns/server.ts';
import { optionsOf } from '../ingress/dns/dns-server.ts';
import { createAuthority } from './certificates.ts';
import { addresses, faults, follow, nameServer, parent, rightWorld, type World, zone } from './zone-faults.ts';

export interface Checked {
  readonly exitCode: number;
  readonly lines: readonly string[];
}

export interface Outcome {
  readonly fault: string;
  readonly broken: Checked;
  readonly isFollowed: boolean;
  readonly mended: Checked;
}

const folder = mkdtempSync(join(tmpdir(), 'seenby-zone-faults-'));
const log = openSync(join(folder, 'log'), 'a');
const run = (command: string, args: readonly string[], input = ''): string =>
  execFileSync(command, args, { cwd: folder, input, stdio: ['pipe', 'pipe', log], encoding: 'utf8' });

const authority = await createAuthority();
setDefaultCACertificates([authority.certificate]);
const { cert, key } = await authority.sign([addresses.resolver]);
writeFileSync(join(folder, 'cert.pem'), cert);
writeFileSync(join(folder, 'key.pem'), key);
run('dnssec-keygen', ['-q', '-a', 'ECDSAP256SHA256', '-f', 'KSK', parent]);
run('dnssec-keygen', ['-q', '-a', 'ECDSAP256SHA256', parent]);

const soa = (name: string) =>
  `${name === '.' ? '.' : `${name}.`} 1 SOA ns.example. hostmaster.example. 1 3600 600 86400 1\n`;

function signParent(file: string, records: readonly string[], isExpired: boolean): void {
  const own = [
    `${parent}. NS ns1.${parent}.`,
    `${parent}. NS ns2.${parent}.`,
    `ns1.${parent}. A ${addresses.parent}`,
    `ns2.${parent}. A ${addresses.secondary}`,
  ];
  writeFileSync(join(folder, file), `$TTL 1\n${soa(parent)}${[...own, ...records].join('\n')}\n`);
  const times = isExpired
    ? ['-s', '20200101000000', '-e', '20200201000000']
    : ['-s', '20200101000000', '-e', '20370101000000'];
  run('dnssec-signzone', ['-q', '-P', '-S', '-z', ...times, '-o', parent, '-f', `${file}.signed`, file]);
}

const rootZone = `$TTL 1
${soa('.')}. NS ns.example.
ns.example. A ${addresses.root}
example. NS ns.example.
`;
const exampleZone = `$TTL 1
${soa('example')}example. NS ns.example.
ns.example. A ${addresses.root}
${parent}. NS ns1.${parent}.
${parent}. NS ns2.${parent}.
ns1.${parent}. A ${addresses.parent}
ns2.${parent}. A ${addresses.secondary}
elsewhere.example. NS ns.example.
`;

const nsd = (name: string, address: string, zones: Readonly<Record<string, string>>) => {
  writeFileSync(
    join(folder, `${name}.conf`),
    `server:
  ip-address: ${address}
  zonesdir: "${folder}"
  zonelistfile: "${name}.list"
  xfrdfile: "${name}.xfrd"
  xfrdir: "${folder}"
  database: ""
  pidfile: ""
  username: ""
  server-count: 1
remote-control:
  control-enable: no
${Object.entries(zones)
  .map(([each, file]) => `zone:\n  name: "${each}"\n  zonefile: "${file}"\n`)
  .join('')}`,
  );
  return start('nsd', ['-d', '-c', join(folder, `${name}.conf`)]);
};

function named(hasOwnZone: boolean): ChildProcess {
  const zones = { [parent]: 'parent.zone.signed', ...(hasOwnZone && { [zone]: 'own.zone' }) };
  writeFileSync(
    join(folder, 'named.conf'),
    `options { directory "${folder}"; listen-on { ${addresses.parent}; }; listen-on-v6 { none; }; recursion no;
  pid-file none; session-keyfile none; empty-zones-enable no; };
controls { };
${Object.entries(zones)
  .map(([each, file]) => `zone "${each}" { type primary; file "${file}"; };`)
  .join('\n')}`,
  );
  return start('named', ['-f', '-n', '1', '-c', join(folder, 'named.conf')]);
}

/** Two: the public one, over HTTPS, and one that may have the address of the service. */
function unbound(name: string, listen: string): ChildProcess {
  writeFileSync(
    join(folder, `${name}.conf`),
    `server:
  use-syslog: no
  username: ""
  chroot: ""
  pidfile: ""
  directory: "${folder}"
  ${listen}
  access-control: 0.0.0.0/0 allow
  root-hints: "hints"
  ${readdirSync(folder)
    .filter((each) => /^K.*\.key$/.test(each) && readFileSync(join(folder, each), 'utf8').includes(' 257 '))
    .map((each) => `trust-anchor-file: "${each}"`)
    .join('\n  ')}
  val-clean-additional: no
  infra-host-ttl: 1
remote-control:
  control-enable: no
`,
  );
  return start('unbound', ['-d', '-c', join(folder, `${name}.conf`)]);
}

function start(command: string, args: readonly string[]): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { cwd: folder, stdio: ['ignore', log, log] });
}

async function stop(programs: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    programs.map(async (program) => {
      const ended = program.exitCode === null ? once(program, 'exit') : null;
      program.kill('SIGKILL');
      await ended;
    }),
  );
}

/** Until a program listens: it is starting. */
async function awaitPort(host: string, port: number): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const socket = connect({ host, port });
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await delay(25);
  }
  throw new Error(
    `nothing listens on ${host} port ${port}: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`,
  );
}

interface Running {
  close(): Promise<unknown>;
}

async function serve({ service, serviceZone, serviceNameServers }: World): Promise<Running> {
  const { answer } = createZone({ zone: serviceZone, nameServers: serviceNameServers, addresses: [addresses.service] });
  const { options } = optionsOf({ port: 53, hosts: [addresses.service], answer });
  if (service === 'nothing') return { close: async () => {} };
  if (service === 'another resolver') {
    const program = unbound('other', `interface: ${addresses.service}`);
    await awaitPort(addresses.service, 53);
    return { close: () => stop([program]) };
  }
  if (service === 'seenby') {
    const server = new DnsServer(options);
    await server.listen();
    return { close: () => server.close(0) };
  }
  const responder = new Responder(options);
  const [receiver, sender] = await Promise.all(
    (
      [
        [53, addresses.service],
        [0, addresses.stray],
      ] as const
    ).map(async ([port, host]) => {
      const socket = createSocket('udp4');
      await once(socket.bind(port, host), 'listening');
      return socket;
    }),
  );
  receiver?.on('message', (message, { address, port }) => {
    const response = responder.respond(message, { address, port, transport: 'udp' });
    if (response !== null) sender?.send(response, port, address);
  });
  return {
    async close() {
      receiver?.close();
      sender?.close();
    },
  };
}

function setRules({ rules, hidesAddresses }: World): void {
  const nat = hidesAddresses
    ? `chain hide { type nat hook postrouting priority srcnat; ip daddr ${addresses.service} ip saddr ${addresses.resolver} snat ip to ${addresses.gateway}; }`
    : '';
  run(
    'nft',
    ['-f', '-'],
    `flush ruleset
table inet faults { chain arriving { type filter hook input priority 0; ${rules.map((rule) => `${rule};`).join(' ')} }
${nat}
}
`,
  );
}

async function check(world: World): Promise<Checked> {
  setRules({ ...world, rules: [] });
  signParent('parent.zone', world.records, world.isExpired);
  signParent('secondary.zone', world.oldRecords ?? world.records, world.isExpired);
  const programs = [
    named(world.hasOwnZone),
    nsd('secondary', addresses.secondary, {
      [parent]: 'secondary.zone.signed',
      ...(world.hasOwnZone && { [zone]: 'own.zone' }),
    }),
    unbound(
      'public',
      `interface: ${addresses.resolver}@443
  https-port: 443
  tls-service-pem: "cert.pem"
  tls-service-key: "key.pem"
  outgoing-interface: ${addresses.resolver}`,
    ),
  ];
  const service = await serve(world);
  await Promise.all([
    awaitPort(addresses.parent, 53),
    awaitPort(addresses.secondary, 53),
    awaitPort(addresses.resolver, 443),
  ]);
  setRules(world);
  const settings = readSettings(
    {},
    {
      DNS_ZONE: world.checkedZone,
      DNS_NAME_SERVERS: nameServer,
      DNS_ADDRESSES: addresses.service,
      DOH_URL: `https://${addresses.resolver}/dns-query`,
    },
  );
  if ('problem' in settings) throw new Error(settings.problem);
  let printed = '';
  const out = {
    write: (text: string) => {
      printed += text;
      return true;
    },
  };
  const { exitCode } = await runZoneCheck(settings, { out } as unknown as Parameters<typeof runZoneCheck>[1]);
  await Promise.all([stop(programs), service.close()]);
  return { exitCode, lines: printed.trimEnd().split('\n') };
}

writeFileSync(join(folder, 'hints'), `. 3600 NS ns.example.\nns.example. 3600 A ${addresses.root}\n`);
writeFileSync(join(folder, 'root.zone'), rootZone);
writeFileSync(join(folder, 'example.zone'), exampleZone);
writeFileSync(join(folder, 'own.zone'), `$TTL 1\n${soa(zone)}${zone}. NS ns1.${parent}.\n`);
const root = nsd('root', addresses.root, { '.': 'root.zone', example: 'example.zone' });
await awaitPort(addresses.root, 53);
const outcomes: Outcome[] = [];
const chosen = process.argv.slice(2);
for (const [fault, [change]] of Object.entries(faults)) {
  if (chosen.length > 0 && !chosen.includes(fault)) continue;
  const world = rightWorld();
  change(world);
  const broken = await check(world);
  const isFollowed = follow(broken.lines[0] ?? '', world);
  outcomes.push({ fault, broken, isFollowed, mended: await check(world) });
}
await stop([root]);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
