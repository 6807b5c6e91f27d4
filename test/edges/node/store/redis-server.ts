/** Debian's redis-server on a socket file, for one test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RateStoreAddress } from '../../../../src/core/setting-values.ts';
import { until } from '../../../until.ts';

/** In CI, the tests fail without the program. */
export const skipWithoutRedis =
  spawnSync('redis-server', ['--version']).status === 0 || process.env.CI ? false : 'needs the command redis-server';

export interface RedisServer {
  readonly address: RateStoreAddress;
  /** Of the socket file. */
  readonly path: string;
  /** Its working directory. */
  readonly folder: string;
  /** Sends one command and returns the reply as the protocol has it. */
  readonly command: (...words: readonly string[]) => Promise<string>;
  readonly pid: () => number | undefined;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Starts a server, with the text of a configuration file and options; it ends with the test. */
export async function startRedis(
  t: TestContext,
  options: readonly string[] = [],
  configuration = '',
): Promise<RedisServer> {
  const redis = await openRedis(options, configuration);
  t.after(redis.end);
  return redis;
}

const storePage = new URL('../../../../docs/deploy/store.md', import.meta.url);

/** Starts a server with the configuration of the documentation; `url` names its user. `command` is that of a user with more permissions. */
export async function startDocumentedRedis(
  t: TestContext,
  port: number,
  host = '127.0.0.1',
): Promise<RedisServer & { readonly url: string }> {
  const [, configuration = ''] = /^```conf\n(.+?)^```$/ms.exec(readFileSync(storePage, 'utf8')) ?? [];
  const [, documented = ''] = /^RATE_LIMIT_STORE=(\S+)/m.exec(readFileSync(storePage, 'utf8')) ?? [];
  const here = (text: string): string => text.replace('10.0.0.5', host);
  const withTester = `${here(configuration)}user ${tester} on nopass ~* &* +@all\n`;
  const redis = await openRedis(['--port', `${port}`], withTester, tester);
  t.after(redis.end);
  return { ...redis, url: `${here(documented)}:${port}` };
}

const tester = 'tester';

/** `user`: the one that `command` is sent as; without a password. */
export async function openRedis(
  options: readonly string[] = [],
  configuration = '',
  user: string | null = null,
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-store-'));
  const path = join(folder, 'socket');
  const file = join(folder, 'redis.conf');
  writeFileSync(file, configuration);
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = null;
  };
  const start = async (): Promise<void> => {
    const fixed = ['--port', '0', '--unixsocket', path, '--dir', folder];
    child = spawn('redis-server', [file, ...fixed, '--save', '', '--appendonly', 'no', ...options], {
      stdio: 'ignore',
    });
    await until(async () => await request(path, ['PING']).catch(() => ''));
  };
  await start();
  return {
    path,
    folder,
    address: { target: { path }, isTls: false, user: null, password: null, database: 0 },
    command: (...words) => request(path, words, user),
    pid: () => child?.pid,
    signal: (name) => child?.kill(name),
    kill,
    start,
    async end() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function request(path: string, words: readonly string[], user: string | null = null): Promise<string> {
  const socket = connect(path);
  const send = async (command: readonly string[]): Promise<string> => {
    const bulk = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.write(`*${command.length}\r\n${bulk.join('')}`);
    const [reply] = await once(socket, 'data');
    return `${reply}`;
  };
  try {
    if (user !== null) await send(['AUTH', user, 'none']);
    return await send(words);
  } finally {
    socket.destroy();
  }
}
