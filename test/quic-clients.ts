/** QUIC clients of other projects: Bun's fetch, and ngtcp2's example client, which Debian has in ngtcp2-client. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findBun } from './acceptance/bun.ts';

const bun = findBun();

/** The reason to skip tests with the client; false if it is installed. In CI, a missing program is an error of the test. */
export const skipBun: string | false = bun !== null || process.env.CI ? false : 'needs the npm package bun';
export const skipNgtcp2: string | false =
  spawnSync('gtlsclient', ['--help']).error === undefined || process.env.CI
    ? false
    : 'needs gtlsclient (apt-get install ngtcp2-client)';

/** What a client printed, and how it ended. */
export interface ClientRun {
  /** Its standard output. */
  readonly output: string;
  /** The same with its standard error. */
  readonly printed: string;
  readonly code: number | null;
}

/** Requests a URL at a port of a loopback address; `options` are those of gtlsclient. */
export function ngtcp2(
  port: number,
  url: string,
  options: readonly string[] = [],
  host = '127.0.0.1',
): Promise<ClientRun> {
  return runToEnd(startNgtcp2(port, url, options, host));
}

/** Starts the same without waiting for its end. */
export function startNgtcp2(
  port: number,
  url: string,
  options: readonly string[] = [],
  host = '127.0.0.1',
): ChildProcess {
  const always = ['--no-quic-dump', '--exit-on-all-streams-close', '--handshake-timeout=20s'];
  return spawn('gtlsclient', [...always, ...options, host, `${port}`, url], { stdio: ['ignore', 'pipe', 'pipe'] });
}

const program = `
  const { url, count } = JSON.parse(process.argv[1]);
  const ended = new AbortController();
  process.stdin.on('end', () => ended.abort(new Error('aborted'))).resume();
  const request = async (number) => {
    const options = { protocol: 'http3', tls: { rejectUnauthorized: false }, signal: ended.signal };
    const response = await fetch(url + '?' + number, options);
    return [response.status, await response.text()];
  };
  const settled = await Promise.allSettled(Array.from({ length: count }, (_, number) => request(number)));
  console.log(JSON.stringify(settled.map(({ value, reason }) => value ?? [0, String(reason)])));
  // An aborted request tells the server so.
  if (settled.some(({ reason }) => reason)) await new Promise((resolve) => setTimeout(resolve, 200));
  process.exit();
`;

/** Sends concurrent requests from a new process until the signal; returns status and body of each, 0 and the reason if it failed. */
export async function bunFetch(
  url: string,
  count: number,
  signal = AbortSignal.timeout(60_000),
): Promise<(readonly [status: number, body: string])[]> {
  const child = spawn(bun ?? 'bun', ['-e', program, JSON.stringify({ url, count })], { stdio: 'pipe' });
  signal.addEventListener('abort', () => child.stdin.end(), { once: true });
  const { output } = await runToEnd(child);
  return JSON.parse(output);
}

export async function runToEnd(child: ChildProcess): Promise<ClientRun> {
  const run = { output: '', printed: '' };
  child.stdout?.on('data', (chunk) => (run.output += chunk));
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (run.printed += chunk));
  const [code] = await once(child, 'close');
  return { ...run, code };
}

const openSslProgram = fileURLToPath(new URL('openssl-quic-client.ts', import.meta.url));

export interface OpenConnections extends AsyncDisposable {
  /** SHA-256 of the server's certificate for each connection, in hexadecimal. */
  readonly certificates: readonly string[];
}

/** Opens connections without requests, and keeps them until it is disposed of. */
export async function openConnections(port: number, count: number): Promise<OpenConnections> {
  const args = ['--disable-warning=ExperimentalWarning', openSslProgram, `${port}`, `${count}`];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const certificates: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    certificates.push(line);
    if (certificates.length === count) break;
  }
  if (certificates.length < count) throw new Error(`only ${certificates.length} of ${count} connections were opened`);
  return {
    certificates,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
