/** The service inside a world, unmodified, with its production defaults, without the set-up that `npm start` does first. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { offline, workerFiles } from '../worker-service.ts';
import type { Question } from './ask.ts';
import type { World } from './world.ts';

export interface WorldService {
  /** One request, each from an address of its own unless the question names one: limits are on. */
  ask(path: string, question?: Question): Promise<{ readonly status: number; readonly body: string }>;
  /** All it has printed so far. */
  printed(): string;
  /** Where it listens, within the world. */
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Where `seenby.test` leads. */
const address = '203.0.114.10';
const port = 8080;
const publicUrl = 'https://seenby.test';

/** `settings`: variables of the environment, for what production would set otherwise. */
export async function serveIn(world: World, settings: Readonly<Record<string, string>> = {}): Promise<WorldService> {
  const program = `import { run } from '${new URL('../../src/cli.ts', import.meta.url)}'; await run([]);`;
  const child = world.spawn(process.execPath, ['--max-semi-space-size=8', '--input-type=module', '-e', program], {
    env: {
      PATH: process.env.PATH,
      HOST: address,
      PORT: String(port),
      TLS_PORT: 'off',
      PUBLIC_URL: publicUrl,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return running(world, child);
}

const wrangler = fileURLToPath(new URL('../../node_modules/wrangler/bin/wrangler.js', import.meta.url));

/** The Worker inside a world: its runtime resolves and connects by itself, and trusts the world's certificates. */
export async function serveWorkerIn(world: World): Promise<WorldService> {
  const files = workerFiles(
    { httpProtocol: 'HTTP/1.1' },
    { vars: { PUBLIC_URL: publicUrl, DOH_URL: 'https://h1.doh.test/dns-query' } },
  );
  const options = ['--config', files.configPath, '--ip', address, '--port', String(port)];
  const child = world.spawn(process.execPath, [wrangler, 'dev', ...options], {
    env: { PATH: process.env.PATH, HOME: files.folder, CLOUDFLARE_CF_FETCH_PATH: files.cfPath, ...offline },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service = await running(world, child);
  return {
    ...service,
    async close() {
      await service.close();
      files.remove();
    },
  };
}

async function running(world: World, child: ChildProcess): Promise<WorldService> {
  const exited = once(child, 'exit');
  let printed = '';
  const listening = new Promise<void>((resolve, reject) => {
    const read = (piece: string): void => {
      printed += piece;
      if (printed.includes(`http://${address}:${port}`)) resolve();
    };
    for (const stream of [child.stdout, child.stderr] as Readable[]) stream.setEncoding('utf8').on('data', read);
    exited.then(() => reject(new Error(`the service ended: ${printed}`)));
  });
  await listening;

  let callers = 0;
  return {
    async ask(path, question = {}) {
      callers += 1;
      const from = `25.0.${callers >> 8}.${callers & 255}`;
      const { status, body } = await world.ask(`http://${address}:${port}${path}`, { from, ...question });
      return { status, body: body.toString() };
    },
    printed: () => printed,
    url: `http://${address}:${port}`,
    pid: child.pid ?? 0,
    async close() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
