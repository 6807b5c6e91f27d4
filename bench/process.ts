/** The processes of a run: their cores, and the messages they send. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ports, Role } from './server.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** An address in MaxMind's documentation with a location in the city database, assigned to the loopback of an empty network. */
const locatedAddress = '81.2.69.142';
/** Contains the converted ASN database. */
export const dataDir = 'test-output/bench-data';
const networkVariable = 'SEENBY_BENCH_NETWORK';
const nodeFlags = ['--disable-warning=ExperimentalWarning'];

/** Node's arguments in `npm start`: flags, program, argument. */
const startArguments: readonly string[] = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  .scripts.start.split(' ')
  .slice(1);
const startFlags = startArguments.filter((argument) => argument.startsWith('--'));

/** The cores that this process may use. The load runs on the first, the server on the last. */
const cores = coreList();
export const loadCore = cores[0] ?? null;
export const serverCore = cores.length > 1 && isAvailable('taskset') ? (cores.at(-1) ?? null) : null;

/** The address of servers and clients. */
export const clientAddress = process.env[networkVariable] ?? '127.0.0.1';
export const hasLocation = clientAddress === locatedAddress;

/**
 * Runs this program again on the load's core, in a network namespace without other hosts if the system permits one.
 * Returns false if this process is that one already.
 */
export async function isolate(): Promise<boolean> {
  if (process.env[networkVariable] !== undefined) return false;
  const prepare = `ip link set lo up && ip addr add ${locatedAddress}/32 dev lo`;
  const unshare = ['unshare', process.getuid?.() === 0 ? '--net' : '-rn', 'sh', '-c'];
  const possible =
    process.platform === 'linux' && spawnSync(unshare[0] as string, [...unshare.slice(1), prepare]).status === 0;
  const network = possible ? [...unshare, `${prepare} && exec "$@"`, 'sh'] : [];
  const [command = '', ...args] = [
    ...network,
    ...onCore(loadCore),
    process.execPath,
    ...nodeFlags,
    ...process.argv.slice(1),
  ];
  const env = { ...process.env, [networkVariable]: possible ? locatedAddress : '127.0.0.1' };
  const child = spawn(command, args, { stdio: 'inherit', env });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
  return true;
}

/** Runs a program of this folder on the server's core. */
export async function runProgram(file: string, flags: readonly string[] = []): Promise<void> {
  const child = startProgram(file, flags);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`bench/${file} ended with code ${code}`);
}

export interface ServerProcess extends ReturnType<typeof figuresOf> {
  readonly ports: Ports;
  stop(): void;
}

/** Starts a server on the server's core; `folder` is the project's own, or another checkout's. */
export async function startServer(role: Role, folder = root): Promise<ServerProcess> {
  const child = startProgram('server.ts', role.role === 'service' ? startFlags : [], folder);
  const response = once(child, 'message');
  child.send(role);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the ${role.role} server ended`)));
  const [ports] = (await Promise.race([response, ended])) as [Ports];
  return { ports, ...figuresOf(child.pid ?? 0), stop: () => void child.disconnect() };
}

/** What the system knows of a process and its children; asking does not wake them. */
export function figuresOf(pid: number) {
  const parentOf = (id: string): number => Number(/\) . (\d+)/.exec(readOr(`/proc/${id}/stat`, ''))?.[1]);
  const processes = (): readonly string[] => [
    `${pid}`,
    ...readdirSync('/proc').filter((id) => /^\d+$/.test(id) && parentOf(id) === pid),
  ];
  const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
  const nanosecondsOf = (id: string): readonly number[] =>
    readdirSync(`/proc/${id}/task`).map((task) =>
      Number(readOr(`/proc/${id}/task/${task}/schedstat`, '0').split(' ')[0]),
    );
  const bytesOf = (field: 'VmRSS' | 'RssAnon') => (): number => {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm');
    return sum(processes().map((id) => Number(line.exec(readOr(`/proc/${id}/status`, ''))?.[1] ?? 0))) * 1024;
  };
  return {
    /** CPU time of all threads since their start, in microseconds, from the scheduler. */
    cpuUs: (): number => sum(processes().flatMap(nanosecondsOf)) / 1000,
    residentBytes: bytesOf('VmRSS'),
    /** Resident memory without the pages of files, which MAX_MEMORY limits. */
    anonymousBytes: bytesOf('RssAnon'),
  };
}

/** Of a thread or process that may have ended. */
function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return otherwise;
  }
}

/** Starts the service as `npm start` does, on all cores. */
export function startAsUser(): ChildProcess {
  const onAllCores = serverCore === null ? [] : onCore(cores.join(','));
  const [command = '', ...args] = [...onAllCores, process.execPath, ...startArguments];
  const env = { ...process.env, PORT: '0', TLS_PORT: '0', DATA_DIR: dataDir };
  return spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
}

function startProgram(file: string, flags: readonly string[], folder = root): ChildProcess {
  const path = join(folder, 'bench', file);
  const [command = '', ...args] = [...onCore(serverCore), process.execPath, ...nodeFlags, ...flags, path];
  return spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

function onCore(list: number | string | null): string[] {
  return list === null || !isAvailable('taskset') ? [] : ['taskset', '-c', String(list)];
}

/** A command that runs another one on the server's core. */
export const onServerCore = (command: readonly string[]): readonly string[] => [...onCore(serverCore), ...command];

export function isAvailable(command: string): boolean {
  return process.platform === 'linux' && spawnSync('sh', ['-c', 'command -v "$0"', command]).status === 0;
}

/** Parses a list such as `0-3,8`, read before this process pins itself. */
function coreList(): number[] {
  if (process.platform !== 'linux') return [];
  const allowed =
    process.env.SEENBY_BENCH_CORES ??
    /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ??
    '';
  process.env.SEENBY_BENCH_CORES = allowed;
  return allowed.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}
