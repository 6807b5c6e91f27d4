/** A simulated internet: a network namespace in which every address belongs to the servers of a test. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { DohFaultName } from './doh.ts';
import type { Orders } from './host.ts';
import type { RequestOptions, RequestResult } from './request.ts';
import type { Arrival, DecoyHit } from './servers.ts';

export interface SimulatedInternet {
  /** Runs a program in it; a Node program trusts its certificate authority. The program and its children end with this process. */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Sends one request from inside; rejects with the error's code, such as ECONNREFUSED. */
  sendRequest(url: string, options?: RequestOptions): Promise<RequestResult>;
  /** Requests that arrived at its servers, including decoys, since the last call. */
  arrivals(): Promise<readonly Arrival[]>;
  /** TCP connections to non-public addresses since the last call. */
  decoyHits(): Promise<readonly DecoyHit[]>;
  /** Sets a fault, one of a resolver too, on a host of the tables, such as data.iana.org; null removes it. Ends its open connections. */
  change(host: string, fault: DohFaultName | null): Promise<void>;
  /** The certificate authority, PEM. */
  readonly caFile: string;
  /** Ends every process, and removes the namespaces and files. */
  close(): Promise<void>;
}

/** Includes Debian's folders for administrator commands, which an unprivileged user's PATH lacks. */
const path = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter);
const commands = ['unshare', 'nsenter', 'setpriv', 'mount', 'ip', 'unbound', 'ldns-keygen', 'ldns-signzone'];

/** Also for programs that get no other variable: without compiled code, a command takes ten times as long. */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Options to create and join namespaces: with the privilege, or in a user namespace that grants it. */
const namespaceModes = [
  { make: ['-n', '-m'], join: ['-n', '-m'] },
  { make: ['-r', '-n', '-m'], join: ['-U', '--preserve-credentials', '-n', '-m'] },
];

/** Requirements that this machine lacks: commands, or the privilege to create namespaces; empty if none. */
export function missingRequirements(): readonly string[] {
  const missing = commands.filter((name) => !path.split(delimiter).some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0) return missing;
  return findNamespaceMode() === undefined ? ['the privilege to create network namespaces'] : [];
}

function findNamespaceMode() {
  const trial = ['ip', 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1'];
  const env = { ...process.env, PATH: path };
  return namespaceModes.find(({ make }) => spawnSync('unshare', [...make, ...trial], { env }).status === 0);
}

/** Reason to skip a test, for its `skip`. Under CI no test is skipped: a missing requirement is a failure. */
export function skipWithoutInternet(): string | false {
  const lacks = missingRequirements();
  return lacks.length > 0 && !process.env.CI ? `the simulated internet requires ${lacks.join(', ')}` : false;
}

/** `rdapFixtures`: folder of RDAP responses, `<host>/<path>.json`. Throws an Error that names missing requirements. */
export async function openInternet({
  rdapFixtures = join(import.meta.dirname, '../rdap-fixtures'),
} = {}): Promise<SimulatedInternet> {
  const lacks = missingRequirements();
  const way = findNamespaceMode();
  if (way === undefined || lacks.length > 0) throw new Error(`the simulated internet requires ${lacks.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'seenby-internet-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  writeFileSync(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');

  const here = (name: string) => join(import.meta.dirname, name);
  const outside = readlinkSync('/proc/self/ns/net');
  const boxCommand = [process.execPath, here('host.ts'), folder, rdapFixtures, outside];
  const box = spawn('unshare', [...way.make, 'sh', here('network.sh'), folder, ...boxCommand], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Not in the process group, so that a signal from a terminal or timeout does not end it before it cleans up.
    detached: true,
  });
  const programs = new Set<ChildProcess>();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let printed = '';
  const stderr = box.stderr as Socket;
  stderr.on('data', (piece) => {
    printed += piece;
  });
  // Only a pending request keeps this process alive: a simulated internet that a test did not close ends with it.
  const keep = (kept: boolean) => {
    for (const handle of [box, stderr, box.channel]) handle?.[kept ? 'ref' : 'unref']();
  };
  box.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: { message: string } }) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) keep(false);
    if (error === undefined) caller?.resolve(value);
    else caller?.reject(Object.assign(new Error(error.message), error));
  });
  box.once('close', () => {
    rmSync(folder, { recursive: true, force: true });
    for (const { reject } of waiting.values()) reject(new Error(`the simulated internet ended: ${printed}`));
  });

  const reply = <Value>(id: number) =>
    new Promise<Value>((resolve, reject) => {
      keep(true);
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  const order = <Name extends keyof Orders>(
    name: Name,
    ...args: Parameters<Orders[Name]>
  ): Promise<Awaited<ReturnType<Orders[Name]>>> => {
    if (!box.connected) return Promise.reject(new Error(`the simulated internet has ended: ${printed}`));
    lastId += 1;
    box.send({ id: lastId, order: name, args });
    return reply(lastId);
  };
  await reply(0);

  return {
    caFile,
    spawn(command, args, { cwd = process.cwd(), ...options } = {}) {
      // --root: a test in a chroot stays in it.
      const into = ['-t', String(box.pid), ...way.join, '--root', `--wdns=${cwd}`];
      const child = spawn('nsenter', [...into, command, ...args], {
        ...options,
        env: { ...compileCache, ...(options.env ?? process.env), NODE_EXTRA_CA_CERTS: caFile },
      });
      programs.add(child);
      child.once('exit', () => programs.delete(child));
      return child;
    },
    sendRequest: (url, options) => order('sendRequest', url, options),
    arrivals: () => order('arrivals'),
    decoyHits: () => order('decoyHits'),
    change: (host, fault) => order('change', host, fault),
    async close() {
      for (const program of programs) program.kill('SIGKILL');
      const running = [...programs, box].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      const ended = running.map((child) => once(child, 'exit'));
      keep(true);
      // It ends all processes that still run in the simulated internet.
      if (box.connected) box.disconnect();
      await Promise.all(ended);
    },
  };
}
