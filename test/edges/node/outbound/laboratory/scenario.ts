/** Runs in a namespace: starts the servers of the laboratory, looks up each host, and asks OpenSSL's programs about each address. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, isIP, type Server } from 'node:net';
import { join } from 'node:path';
import { createOutbound } from '../../../../../src/edges/node/outbound/outbound.ts';
import { certificateCheck } from '../../../../../src/lookups/certificate/check.ts';
import type { CertificateCheck } from '../../../../../src/lookups/certificate/schema.ts';
import { platformOf } from '../../../../platform.ts';
import { queryNameServer, startNameServer } from './name-server.ts';
import { type OpensslView, readServer } from './openssl-view.ts';
import { type Behavior, type LaboratoryHost, makeHosts } from './servers.ts';

const [folder = ''] = process.argv.slice(2);
const { hosts, roots } = makeHosts(folder);
const children: ReturnType<typeof spawn>[] = [];

const others: Readonly<Record<'http' | 'silent' | 'alert' | 'closes', () => Server>> = {
  http: () => createHttpServer((_, response) => response.end()),
  silent: () => createServer(() => {}),
  // unrecognized_name, fatal.
  alert: () => createServer((socket) => socket.once('data', () => socket.end(Buffer.from('15030300020270', 'hex')))),
  closes: () => createServer((socket) => socket.once('data', () => socket.destroy())),
};

async function start(address: string, behavior: Behavior, at: number): Promise<void> {
  if (behavior.kind === 'dead') return;
  if (behavior.kind !== 'openssl') {
    const server = others[behavior.kind]().on('connection', (socket) => socket.on('error', () => {}));
    await once(server.listen(443, address), 'listening');
    return;
  }
  const { chain, options = [] } = behavior;
  const [leaf, ...rest] = chain;
  const chainFile = join(folder, `chain-${at}.pem`);
  writeFileSync(chainFile, rest.map(({ pem }) => pem).join(''));
  const server = spawn(
    'openssl',
    [
      ...['s_server', '-accept', `${address.includes(':') ? `[${address}]` : address}:443`, '-www'],
      ...['-cert', `${leaf?.file}.pem`, '-key', `${leaf?.keyFile}`],
      ...(rest.length > 0 ? ['-cert_chain', chainFile] : []),
      ...options,
    ],
    { stdio: 'ignore' },
  );
  children.push(server);
  for (;;) {
    const socket = connect(443, address);
    try {
      await once(socket, 'connect');
      return;
    } catch {
      if (server.exitCode !== null) throw new Error(`no server for ${leaf?.file}`);
    } finally {
      socket.destroy();
    }
  }
}

const run = (command: string, args: readonly string[], input = ''): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 2 ** 26 }, (_, output, errors) => resolve(output + errors));
    // A program may end before it reads its input.
    child.stdin?.on('error', () => {}).end(input);
  });

const addressesByHost = new Map(hosts.map(({ host, addresses }) => [host, Object.keys(addresses)]));
const outbound = createOutbound({
  ca: roots.map(({ pem }) => pem),
  addressesOf: async (host) =>
    (addressesByHost.get(host) ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});
const resolvers = ['https://dns.lab/dns-query'];
/** A server that never responds takes the time of the service; the others get more, for a busy machine. */
const handshakes: typeof outbound.handshakes = (request) =>
  outbound.handshakes(request.host === 'silent.lab' ? request : { ...request, timeoutMs: 60_000 });
const platform = platformOf({ ...outbound, handshakes, fetch: queryNameServer, resolvers, now: Date.now });
const lookUp = ({ host }: LaboratoryHost) =>
  certificateCheck(host, platform, { userAgent: 'a', ownHosts: [], privateAddresses: isIP(host) !== 0 });

const endNameServer = await startNameServer(folder, hosts);
await Promise.all(
  hosts
    .flatMap(({ addresses }) => Object.entries(addresses))
    .map(([address, behavior], at) => start(address, behavior, at)),
);
// A few at a time, so that a busy machine finishes each in time.
const checks: CertificateCheck[] = [];
for (let at = 0; at < hosts.length; at += 4) checks.push(...(await Promise.all(hosts.slice(at, at + 4).map(lookUp))));
const addresses = hosts.flatMap(({ host, addresses }) =>
  Object.entries(addresses).flatMap(([address, { kind }]) => (kind === 'openssl' ? [{ host, address }] : [])),
);
const views = await Promise.all(
  addresses.map(
    async ({ host, address }): Promise<readonly [string, OpensslView]> => [
      address,
      await readServer(host, { address, roots: join(folder, 'roots.pem'), run }),
    ],
  ),
);
const described = hosts.map(({ host, verdicts = {}, outcomes = {} }) => ({ host, verdicts, outcomes }));
for (const child of children) child.kill();
endNameServer();
process.stdout.write(JSON.stringify({ hosts: described, checks, views: Object.fromEntries(views) }), () =>
  process.exit(0),
);
