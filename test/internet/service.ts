/** The unmodified service in a simulated internet, with its production defaults, without the setup of `npm start`. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { offline, workerFiles } from '../worker-service.ts';
import { openInternet, type SimulatedInternet } from './internet.ts';
import type { RequestOptions } from './request.ts';
import { sharedInternet } from './shared.ts';

export interface SimulatedService {
  /** Sends one request, each from its own address unless the options name one: limits are enabled. */
  request(path: string, options?: RequestOptions): Promise<{ readonly status: number; readonly body: string }>;
  /** Its output so far. */
  printed(): string;
  /** Its URL in the simulated internet. */
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Address of `seenby.test`. */
const address = '203.0.114.10';
const port = 8080;
const publicUrl = 'https://seenby.test';

/**
 * Starts a service in the simulated internet of the process before the tests of the suite that calls this, and closes it after these. Throws
 * outside of the tests. `ownInternet`: opens another simulated internet for the suite, whose resolvers have no earlier responses.
 */
export function serveForSuite(
  serve: (internet: SimulatedInternet) => Promise<SimulatedService>,
  { ownInternet = false } = {},
) {
  let internet: SimulatedInternet | undefined;
  let service: SimulatedService | undefined;
  before(async () => {
    internet = await (ownInternet ? openInternet() : sharedInternet());
    service = await serve(internet);
  });
  after(async () => {
    await service?.close();
    if (ownInternet) await internet?.close();
  });
  return {
    get internet(): SimulatedInternet {
      return internet ?? assert.fail('the suite has not begun');
    },
    get service(): SimulatedService {
      return service ?? assert.fail('the suite has not begun');
    },
  };
}

/** `settings`: environment variables that differ from production. */
export async function serveIn(
  internet: SimulatedInternet,
  settings: Readonly<Record<string, string>> = {},
): Promise<SimulatedService> {
  const program = `import { run } from '${new URL('../../src/cli/run.ts', import.meta.url)}'; await run([]);`;
  const child = internet.spawn(process.execPath, ['--max-semi-space-size=8', '--input-type=module', '-e', program], {
    env: {
      PATH: process.env.PATH,
      HOST: address,
      PORT: String(port),
      TLS_PORT: 'off',
      PUBLIC_URL: publicUrl,
      DATA_DIR: 'test-output/internet-data',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return running(internet, child);
}

const wrangler = fileURLToPath(new URL('../../node_modules/wrangler/bin/wrangler.js', import.meta.url));

/** The binary; the package's own command is a script until its installation has replaced it. */
const { default: workerd } = createRequire(import.meta.url)('workerd') as { readonly default: string };

/** The Worker in a simulated internet: its runtime resolves and connects by itself, and trusts the simulated certificate authority. */
export async function serveWorkerIn(internet: SimulatedInternet): Promise<SimulatedService> {
  const files = workerFiles(
    { httpProtocol: 'HTTP/1.1' },
    { vars: { PUBLIC_URL: publicUrl, DOH_URL: 'https://h1.doh.test/dns-query' } },
  );
  const options = ['--config', files.configPath, '--ip', address, '--port', String(port)];
  const child = internet.spawn(process.execPath, [wrangler, 'dev', ...options], {
    env: { PATH: process.env.PATH, HOME: files.folder, CLOUDFLARE_CF_FETCH_PATH: files.cfPath, ...offline },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service = await running(internet, child);
  return {
    ...service,
    async close() {
      await service.close();
      files.remove();
    },
  };
}

/** The Worker on workerd with the configuration for a machine of one's own, which trusts the simulated certificate authority instead. */
export async function serveWorkerdIn(internet: SimulatedInternet): Promise<SimulatedService> {
  const files = workerFiles({});
  const configPath = join(files.folder, 'docs/deploy/workerd.capnp');
  const build = join(files.folder, 'build');
  execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--config', files.configPath, '--outdir', build], {
    env: { PATH: process.env.PATH, HOME: files.folder, ...offline },
    stdio: 'pipe',
  });
  cpSync(fileURLToPath(new URL('../../docs/deploy/workerd.capnp', import.meta.url)), configPath, { recursive: true });
  cpSync(internet.caFile, join(files.folder, 'docs/deploy/ca.pem'));
  const config = readFileSync(configPath, 'utf8');
  writeFileSync(configPath, config.replace('trustBrowserCas = true', 'trustedCertificates = [embed "ca.pem"]'));
  const options = ['serve', configPath, '--control-fd=1', '--socket-addr', `http=${address}:${port}`];
  const child = internet.spawn(workerd, options, {
    env: { PUBLIC_URL: publicUrl, DOH_URL: 'https://h1.doh.test/dns-query' },
    // docs/deploy/cloudflare.md discards its standard error.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const service = await running(internet, child, '"event":"listen"');
  return {
    ...service,
    async close() {
      await service.close();
      files.remove();
    },
  };
}

/** `announcement`: what it prints when it listens. */
async function running(
  internet: SimulatedInternet,
  child: ChildProcess,
  announcement = `:${port}`,
): Promise<SimulatedService> {
  const exited = once(child, 'exit');
  let printed = '';
  const listening = new Promise<void>((resolve, reject) => {
    const read = (piece: string): void => {
      printed += piece;
      if (printed.includes(announcement)) resolve();
    };
    for (const stream of [child.stdout, child.stderr] as (Readable | null)[])
      stream?.setEncoding('utf8').on('data', read);
    exited.then(() => reject(new Error(`the service ended: ${printed}`)));
  });
  await listening;

  let clients = 0;
  return {
    async request(path, options = {}) {
      clients += 1;
      const from = `25.0.${clients >> 8}.${clients & 255}`;
      const { status, body } = await internet.sendRequest(`http://${address}:${port}${path}`, { from, ...options });
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
