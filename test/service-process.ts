/** Starts the command line in a process of its own, for tests about processes: signals, faults, supervisors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeMmdb } from './mmdb.ts';

const run = fileURLToPath(new URL('../src/cli/run.ts', import.meta.url));
/** Removed after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), 'seenby-process-'));
// A small database, so that no start converts the embedded one.
const asnFile = join(folder, 'asn.mmdb');
writeFileSync(asnFile, writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
export const environment = {
  ...process.env,
  PORT: '0',
  TLS_PORT: 'off',
  HOST: '127.0.0.1',
  DATA_DIR: folder,
  GEOIP_ASN: asnFile,
};
export const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

export interface Started {
  readonly child: ChildProcess;
  /** URL of the HTTP port. */
  readonly url: string;
  /** Everything on standard output and error so far. */
  printed(): string;
  /** Resolves when the output matches, rejects when the process ends before. */
  prints(pattern: RegExp): Promise<void>;
}

/** `also` is JavaScript that runs in the same process; `shell` starts the process "$@". */
export async function start(also = '', { shell = 'exec "$@"', changed = {} } = {}): Promise<Started> {
  const script = `import(${JSON.stringify(run)}).then((cli) => cli.run([])); ${also}`;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '-e', script];
  const child = spawn('bash', ['-c', shell, 'bash', ...node], {
    env: { ...environment, ...changed },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let printed = '';
  const listening = Promise.withResolvers<string>();
  let printedMore = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
      if (url !== undefined) listening.resolve(url);
      printedMore.resolve();
      printedMore = Promise.withResolvers();
    });
  child.once('close', () => {
    listening.reject(new Error(printed));
    printedMore.resolve();
  });
  return {
    child,
    url: await listening.promise,
    printed: () => printed,
    async prints(pattern) {
      while (!pattern.test(printed)) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the process ended: ${printed}`);
        await printedMore.promise;
      }
    },
  };
}

/** Sends SIGTERM and returns the exit code. */
export async function stop({ child }: Pick<Started, 'child'>): Promise<number | null> {
  // After the last output.
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const [code] = await closed;
  return code;
}
