/** Runs in a network namespace: a root, a resolver and servers for zones; prints the resolver's answers, and the queries that the servers got. */
import { execFile, type StdioOptions, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createZone } from '../../src/edges/dns/zone.ts';
import { dnsBounds } from '../../src/ingress/dns/bounds.ts';
import { DnsServer } from '../../src/ingress/dns/server.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';
import type { ObservedQuery } from '../../src/wire/dns/query.ts';
import {
  addresses,
  forwarder,
  type Resolver,
  type ResolverName,
  recursiveResolvers,
  root,
  zonesOf,
} from './recursive-resolvers.ts';

export interface Resolution {
  /** Records as dig prints them, by name and type. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
  readonly queries: readonly ObservedQuery[];
}

const [name = 'unbound', through = 'resolver'] = process.argv.slice(2) as [ResolverName, 'resolver' | 'forwarder'];
const folder = mkdtempSync(join(tmpdir(), 'seenby-resolver-'));

const log = join(folder, 'log');
const logged = openSync(log, 'a');

function start({ command, args }: Pick<Resolver, 'command' | 'args'>): () => void {
  const stdio: StdioOptions = ['ignore', logged, logged];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args(folder)], { stdio });
  return () => void child.kill('SIGKILL');
}

/** Resolves to the lines of the answer. */
async function dig(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('dig', [
    `@${addresses[through]}`,
    '+short',
    '+tries=1',
    '+time=5',
    ...args,
  ]);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Until the resolver responds: it is starting. */
async function awaitResolver(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = await dig('root.example', 'A').catch(() => []);
    if (found[0] === addresses.root) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} does not respond: ${readFileSync(log, 'utf8')}`);
}

const queries: ObservedQuery[] = [];
const servers = zonesOf().map(({ name, zone, server, address }) => {
  const { answer } = createZone({ zone, nameServers: [server], addresses: ['192.0.2.1', '2001:db8::1'] });
  return new DnsServer({
    port: 53,
    hosts: [address],
    otherPorts: [],
    bounds: name === 'overTcp' ? { ...dnsBounds, maxUdpResponseBytes: 12 } : dnsBounds,
    responsesPerSecond: 300,
    identify: createIdentify(),
    answer(query) {
      queries.push(query);
      return answer(query);
    },
    onError: (error) => console.error(error),
    onResult: () => {},
    onMissing: () => {},
    onClosed: () => {},
    onWaiting: null,
  });
});

const resolver: Resolver = recursiveResolvers[name];
for (const [file, content] of Object.entries({ ...root.files(folder), ...resolver.files(folder) }))
  writeFileSync(join(folder, file), content);
await Promise.all(servers.map((server) => server.listen()));
const ends = [root, resolver, ...(through === 'forwarder' ? [forwarder] : [])].map(start);
await awaitResolver();
const answers: Record<string, readonly string[]> = {};
for (const { zone } of zonesOf())
  for (const [label, ...types] of [
    ['whoami', 'TXT', 'A', 'AAAA'],
    ['1-0123456789abcdef', 'A', 'AAAA', 'HTTPS'],
    ['a.b.2-0123456789abcdef', 'A'],
  ] as const)
    for (const type of types) answers[`${label}.${zone} ${type}`] = await dig(`${label}.${zone}`, type);
for (const end of ends) end();
await Promise.all(servers.map((server) => server.close(0)));
rmSync(folder, { recursive: true, force: true });
const resolution: Resolution = { answers, queries };
process.stdout.write(JSON.stringify(resolution));
