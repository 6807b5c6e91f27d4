/** The Worker on the real runtime, as its configuration has it but for what a test is about. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IncomingCf } from '../src/edges/cloudflare/observe.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Keeps wrangler offline: no request for cf values, for updates or with usage figures. */
export const offline = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CI: '1',
};

export interface WorkerFiles {
  /** A copy of the configuration, in a folder of its own: without the variables of development. */
  readonly configPath: string;
  readonly folder: string;
  /** Value of `request.cf`. */
  readonly cfPath: string;
  remove(): void;
}

/** `changed`: members of the configuration, over those of the file. */
export function workerFiles(cf: IncomingCf, changed: object = {}): WorkerFiles {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-worker-'));
  const configPath = join(folder, 'wrangler.json');
  const cfPath = join(folder, 'cf.json');
  const config = readFileSync(join(root, 'wrangler.jsonc'), 'utf8').replace(/^\s*\/\/.*$/gm, '');
  const { main, ...rest } = JSON.parse(config);
  writeFileSync(configPath, JSON.stringify({ ...rest, ...changed, main: join(root, main) }));
  writeFileSync(cfPath, JSON.stringify(cf));
  return { folder, configPath, cfPath, remove: () => rmSync(folder, { recursive: true }) };
}
