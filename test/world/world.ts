/** An internet in a box: a network namespace in which every address answers only to the servers of a test. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Question, Reply } from './ask.ts';
import type { FaultName } from './behaviours.ts';
import type { Orders } from './box.ts';
import type { Arrival, DecoyHit } from './servers.ts';

export interface World {
  /** Runs a program inside the world; a Node program trusts the world's certificates. It and its children end with this process. */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
  /** One request from within the world; rejects with the error's code, such as ECONNREFUSED. */
  ask(url: string, question?: Question): Promise<Reply>;
  /** The requests that arrived at the world's servers, decoys too, since the last call. */
  arrivals(): Promise<readonly Arrival[]>;
  /** The TCP connections that reached addresses that are not public since the last call. */
  decoyHits(): Promise<readonly DecoyHit[]>;
  /** Puts a fault on a host of the tables, such as data.iana.org; null heals it. Ends its open connections. */
  change(host: string, fault: FaultName | null): Promise<void>;
  /** The certificate authority, PEM. */
  readonly caFile: string;
  /** Ends every process, and with them the namespaces and files. */
  close(): Promise<void>;
}

/** Where Debian keeps the administrator's commands, which an unprivileged user's PATH lacks. */
const path = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter);
const commands = ['unshare', 'nsenter', 'setpriv', 'mount', 'ip', 'unbound', 'ldns-keygen', 'ldns-signzone'];

/** How namespaces are made and joined: by right, or, without the right, inside a user namespace that gives it. */
const ways = [
  { make: ['-n', '-m'], join: ['-n', '-m'] },
  { make: ['-r', '-n', '-m'], join: ['-U', '--preserve-credentials', '-n', '-m'] },
];

/** What this machine lacks for a world: commands, or the right to make namespaces. Empty where nothing is. */
export function worldLacks(): readonly string[] {
  const missing = commands.filter((name) => !path.split(delimiter).some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0) return missing;
  return workingWay() === undefined ? ['the right to make network namespaces'] : [];
}

function workingWay() {
  const trial = ['ip', 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1'];
  const env = { ...process.env, PATH: path };
  return ways.find(({ make }) => spawnSync('unshare', [...make, ...trial], { env }).status === 0);
}

/** Why a test in a world is skipped, for its `skip`. Under CI none is: there a lack is a failure. */
export function skipWithoutWorld(): string | false {
  const lacks = worldLacks();
  return lacks.length > 0 && !process.env.CI ? `a test world needs ${lacks.join(', ')}` : false;
}

/** `rdapFixtures`: the folder of RDAP answers, `<host>/<path>.json`. Throws a sentence that names what is missing. */
export async function openWorld({ rdapFixtures = join(import.meta.dirname, '../rdap-fixtures') } = {}): Promise<World> {
  const lacks = worldLacks();
  const way = workingWay();
  if (way === undefined || lacks.length > 0) throw new Error(`a test world needs ${lacks.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'seenby-world-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  writeFileSync(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');

  const here = (name: string) => join(import.meta.dirname, name);
  const outside = readlinkSync('/proc/self/ns/net');
  const boxCommand = [process.execPath, here('box.ts'), folder, rdapFixtures, outside];
  const box = spawn('unshare', [...way.make, 'sh', here('network.sh'), folder, ...boxCommand], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Out of the reach of a terminal's or timeout's signal to the group, so that it lives to tidy up.
    detached: true,
  });
  const programs = new Set<ChildProcess>();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let said = '';
  const stderr = box.stderr as Socket;
  stderr.on('data', (piece) => {
    said += piece;
  });
  // Only somebody who waits keeps this process: a world that a test forgot ends with it.
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
    for (const { reject } of waiting.values()) reject(new Error(`the test world ended: ${said}`));
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
    if (!box.connected) return Promise.reject(new Error(`the test world has ended: ${said}`));
    lastId += 1;
    box.send({ id: lastId, order: name, args });
    return reply(lastId);
  };
  await reply(0);

  return {
    caFile,
    spawn(command, args, { cwd = process.cwd(), ...options } = {}) {
      // --root: a test that runs in a chroot stays in it.
      const into = ['-t', String(box.pid), ...way.join, '--root', `--wdns=${cwd}`];
      const child = spawn('nsenter', [...into, command, ...args], {
        ...options,
        env: { ...(options.env ?? process.env), NODE_EXTRA_CA_CERTS: caFile },
      });
      programs.add(child);
      child.once('exit', () => programs.delete(child));
      return child;
    },
    ask: (url, question) => order('ask', url, question),
    arrivals: () => order('arrivals'),
    decoyHits: () => order('decoyHits'),
    change: (host, fault) => order('change', host, fault),
    async close() {
      for (const program of programs) program.kill('SIGKILL');
      const running = [...programs, box].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      const ended = running.map((child) => once(child, 'exit'));
      keep(true);
      // It takes all with it that still runs in the world.
      if (box.connected) box.disconnect();
      await Promise.all(ended);
    },
  };
}
