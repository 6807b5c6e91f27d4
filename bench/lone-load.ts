/**
 * Visits as a quiet instance gets them: one after another, with pauses, each by a process of its own (curl). Caches are cold then, and what
 * the server does once per second or per visit is not divided among thousands.
 */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Load, LoadTarget } from './load-clients.ts';
import { chrome } from './requests.ts';

export type LoneProtocol = 'http' | 'https' | 'h2';

export interface LoneVisit {
  readonly path: string;
  readonly protocol: LoneProtocol;
}

/** From the beginning of a visit to that of the next. */
const visitMs = 33;

/** What curl calls the version of HTTP, and its options for it. */
const protocols = {
  http: { version: '1.1', options: [] },
  https: { version: '1.1', options: ['--http1.1', '--tlsv1.3'] },
  h2: { version: '2', options: ['--http2', '--tlsv1.3'] },
} as const satisfies Record<LoneProtocol, object>;

const run = promisify(execFile);

export function createLoneLoad({ host, port }: LoadTarget, { path, protocol }: LoneVisit): Load {
  const { version, options } = protocols[protocol];
  const headers = Object.entries(chrome).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const url = `${protocol === 'http' ? 'http' : 'https'}://${host}:${port}${path}`;
  const written = '%{http_code} %{http_version}';
  const visit = async (): Promise<void> => {
    const { stdout } = await run('curl', ['-sSqk', ...options, ...headers, '-o', '/dev/null', '-w', written, url]);
    if (stdout !== `200 ${version}`) throw new Error(`${url}: status and version ${stdout}`);
  };
  return repeatVisits(visit, 1);
}

/** Repeats a visit, each time with a pause after it; `requests`: those of one visit. */
export function repeatVisits(visit: () => Promise<void>, requests: number): Load {
  return {
    async run(ms) {
      const began = performance.now();
      let count = 0;
      while (performance.now() - began < ms) {
        // The pause is part of the visit: the server still closes the connection.
        await Promise.all([visit(), delay(visitMs)]);
        count += requests;
      }
      return { count, perSecond: count / ((performance.now() - began) / 1000) };
    },
    close() {},
  };
}
