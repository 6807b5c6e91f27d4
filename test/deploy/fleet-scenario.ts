/**
 * Runs in a network namespace: starts the parts of deploy/fleet/compose.yaml, each in a namespace of its own with its address, lets the store
 * fail or replaces the instances while clients send requests, and prints what happened as JSON.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { writeMmdb } from '../mmdb.ts';
import { until } from '../until.ts';
import { parseVariables, readCompose, readFleetFile } from './fleet-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-fleet-'));
const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function put(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** As docs/deploy/fleet.md adds them to .env. */
const secrets = { RATE_LIMIT_SECRET: '5'.repeat(64), STORE_PASSWORD: '7'.repeat(64) };
const variables = { ...parseVariables(readFleetFile('settings.example')), ...secrets };
const services = readCompose(variables);
const { cert, key } = await createLocalhostCertificate();
const pem = { cert: put('fullchain.pem', cert), key: put('privkey.pem', key) };
const asnFile = put('asn.mmdb', writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
const haproxyFile = put('haproxy.cfg', readFleetFile('haproxy.cfg'));
/** Of the only rate that the scenario reaches. */
const lookupRate = 20;

interface Part {
  readonly child: ChildProcess;
  printed(): string;
  /** Resolves when the output has it after the position, rejects when the process ends before. */
  prints(pattern: RegExp, from?: number): Promise<void>;
}

/** Creates a namespace with the address of a service, connected to the bridge of this one; returns the process that holds it. */
async function createNetwork(service: string): Promise<string> {
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  children.push(holder);
  const pid = `${holder.pid}`;
  const inside = (command: string) =>
    spawnSync('nsenter', ['--net', '-t', pid, 'sh', '-c', command], { encoding: 'utf8' });
  const own = spawnSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }).stdout;
  await until(() => {
    const { stdout } = spawnSync('readlink', [`/proc/${pid}/ns/net`], { encoding: 'utf8' });
    return stdout !== '' && stdout !== own;
  });
  const address = services[service]?.networks.fleet.ipv4_address;
  const { stderr } = spawnSync(
    'sh',
    ['-ec', `ip link add ${service} type veth peer name eth0 netns ${pid}; ip link set ${service} master fleet up`],
    { encoding: 'utf8' },
  );
  const { stderr: problem } = inside(
    `set -e; ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up; ip route add default via 172.31.252.1`,
  );
  if (stderr + problem !== '') throw new Error(`${service}: ${stderr}${problem}`);
  return pid;
}

const networks = Object.fromEntries(
  await Promise.all(Object.keys(services).map(async (service) => [service, await createNetwork(service)] as const)),
);

function startPart(service: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Part {
  const child = spawn('nsenter', ['--net', '-t', `${networks[service]}`, ...command], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  return {
    child,
    printed: () => printed,
    async prints(pattern, from = 0) {
      await until(() => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${service} ended: ${printed}`);
        return pattern.test(printed.slice(from));
      });
    },
  };
}

const admin = ['--user', 'admin', 'on', 'nopass', '~*', '&*', '+@all'];

/** Sends a command to the store. */
function command(...words: readonly string[]): void {
  const cli = ['redis-cli', '--no-auth-warning', '--user', 'admin', '--pass', 'any', ...words];
  const { stdout } = spawnSync('nsenter', ['--net', '-t', `${networks.valkey}`, ...cli], { encoding: 'utf8' });
  if (!/^(?:OK|\d+)\n$/.test(stdout)) throw new Error(`${words.join(' ')}: ${stdout}`);
}

/** The same words as Valkey's, a user that may change the server, and those added here; the last of two values counts. */
async function startStore(...added: readonly string[]): Promise<Part> {
  const [program, ...words] = services.valkey?.command ?? [];
  if (program !== 'valkey-server') throw new Error(`the store's program is ${program}`);
  const store = startPart('valkey', ['redis-server', '--dir', folder, ...words, ...admin, ...added]);
  await store.prints(/Ready to accept connections/);
  return store;
}

/** A busy machine does not find the store slow. */
const preload = `import { bounds } from ${JSON.stringify(new URL('../../src/edges/node/limits/bounds.ts', import.meta.url).href)}; bounds.storeTimeoutMs = 1_000;`;
const program = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));

function startInstance(service: string, changed: NodeJS.ProcessEnv = {}): Part {
  const dataDir = join(folder, service);
  mkdirSync(dataDir, { recursive: true });
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', `--import=data:text/javascript,${preload}`];
  return startPart(service, [...node, program], {
    ...variables,
    ...services[service]?.environment,
    TLS_CERT: pem.cert,
    TLS_KEY: pem.key,
    DATA_DIR: dataDir,
    GEOIP_ASN: asnFile,
    GEOIP_AUTO_UPDATE: 'off',
    THREADS: '1',
    // For clients that do nothing but open connections.
    CONNECTION_RATE: '0',
    RATE_LIMIT_GENERAL: '1000000',
    RATE_LIMIT_LOOKUP: `${lookupRate}`,
    ...changed,
  });
}

/** Sends a request on a new connection to HAProxy's published port; returns status and body, or status 0 and the error. */
function send(path: string, localAddress: string): Promise<readonly [status: number, body: string]> {
  const options: RequestOptions = {
    host: services.haproxy?.networks.fleet.ipv4_address,
    port: 8443,
    path,
    localAddress,
    agent: false,
    rejectUnauthorized: false,
    timeout: 30_000,
  };
  return new Promise((resolve) => {
    const sent = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += chunk));
      response
        .on('error', ({ message }) => resolve([0, message]))
        .on('end', () => resolve([response.statusCode ?? 0, body.trim()]));
    });
    sent.on('timeout', () => sent.destroy(new Error('no response')));
    sent.on('error', ({ message }) => resolve([0, message]));
    sent.end();
  });
}

const clients = ['203.0.113.11', '203.0.113.12', '203.0.113.13'];

/** Runs the action while clients send requests one after the other; returns how many were answered, and what else they got. */
async function beside(action: () => Promise<unknown>) {
  let isEnding = false;
  const failures: string[] = [];
  let served = 0;
  const run = async (client: string): Promise<void> => {
    while (!isEnding) {
      const [status, body] = await send('/ip', client);
      if (status === 200 && body === client) served += 1;
      else failures.push(`${status} ${body}`);
    }
  };
  const running = clients.map(run);
  await action();
  // What follows the action reaches every instance.
  const before = served;
  await until(() => served + failures.length >= before + 20);
  isEnding = true;
  await Promise.all(running);
  return { served, failures };
}

const exit = async ({ child }: Part, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};

let store = await startStore();
const instances = { 'seenby-1': startInstance('seenby-1'), 'seenby-2': startInstance('seenby-2') };
type Name = keyof typeof instances;
const names = ['seenby-1', 'seenby-2'] as const;
for (const name of names) await instances[name].prints(/^Listening on$/m);
const proxy = startPart('haproxy', ['haproxy', '-db', '-f', haproxyFile]);
proxy.child.once('exit', () => {
  throw new Error(`haproxy ended: ${proxy.printed()}`);
});
const isUp = (name: Name, from: number): Promise<void> => proxy.prints(new RegExp(`https/${name} is UP`), from);
const isDown = (name: Name, from: number): Promise<void> => proxy.prints(new RegExp(`https/${name} is DOWN`), from);
await until(async () => (await send('/ip', '203.0.113.9'))[0] === 200);

/** Ends an instance with the signal and starts it again, when HAProxy has noticed. */
async function replace(name: Name, signal: NodeJS.Signals, changed: NodeJS.ProcessEnv = {}): Promise<void> {
  const from = proxy.printed().length;
  await exit(instances[name], signal);
  await isDown(name, from);
  instances[name] = startInstance(name, changed);
  await isUp(name, from);
}

async function limitAndReplace() {
  const [, address] = await send('/ip', '203.0.113.1');
  const lookups = await Promise.all(
    Array.from({ length: 2 * lookupRate }, () => send('/api/headers-check?url=ftp://a.example', '203.0.113.1')),
  );
  const limits = {
    address,
    accepted: lookups.filter(([status]) => status === 400).length,
    rejected: lookups.filter(([status]) => status === 429).length,
  };
  const upgraded = await beside(async () => {
    for (const name of names) await replace(name, 'SIGTERM');
  });
  return { limits, upgraded, killed: await beside(() => replace('seenby-2', 'SIGKILL')) };
}

/**
 * Breaks the store, returns what clients got until the log of each instance has the reason, and mends the store.
 */
async function fail(reason: RegExp, act: () => unknown): Promise<unknown> {
  const from = names.map((name) => instances[name].printed().length);
  const allPrint = (pattern: RegExp) => async (): Promise<boolean> => {
    // Only a request uses the store.
    await send('/ip', '203.0.113.9');
    return names.every((name, at) => pattern.test(instances[name].printed().slice(from[at])));
  };
  const outcome = await beside(async () => {
    await act();
    await until(allPrint(new RegExp(`rate-limit store not available \\([^)]*${reason.source}`)));
  });
  await exit(store, 'SIGKILL');
  store = await startStore();
  await until(allPrint(/rate-limit store connected/));
  return outcome;
}

const restartStore = async (...added: readonly string[]): Promise<void> => {
  await exit(store, 'SIGKILL');
  store = await startStore(...added);
};

async function breakStore() {
  const killed = await fail(/ECONNREFUSED/, () => exit(store, 'SIGKILL'));
  const paused = await fail(/no response/, () => void store.child.kill('SIGSTOP'));
  const full = await fail(/OOM/, () => {
    for (const [name = '', value = ''] of [
      ['maxmemory-policy', 'noeviction'],
      ['maxmemory', '1'],
    ])
      command('CONFIG', 'SET', name, value);
  });
  const readOnly = await fail(/READONLY/, () => command('REPLICAOF', '172.31.252.99', '6379'));
  const password = await fail(/WRONGPASS/, () => {
    command('ACL', 'SETUSER', 'seenby', 'resetpass', '>other');
    command('CLIENT', 'KILL', 'USER', 'seenby');
  });
  // Of localhost, and from no authority that an instance trusts.
  const tls = ['--port', '0', '--tls-port', '6379', '--tls-cert-file', pem.cert, '--tls-key-file', pem.key];
  await restartStore(...tls, '--tls-auth-clients', 'no');
  const RATE_LIMIT_STORE = `${services['seenby-1']?.environment?.RATE_LIMIT_STORE}`.replace('valkey:', 'valkeys:');
  const certificate = await beside(async () => {
    await replace('seenby-1', 'SIGTERM', { RATE_LIMIT_STORE });
    await instances['seenby-1'].prints(/rate-limit store not available \([^)]*cert/i);
  });
  return { killed, paused, full, readOnly, password, certificate };
}

const results = await (process.argv[2] === 'store' ? breakStore() : limitAndReplace());
process.stdout.write(JSON.stringify(results), () => process.exit());
