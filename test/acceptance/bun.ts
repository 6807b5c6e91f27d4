/** Bun, whose fetch speaks HTTP/3: the program runs in a process of its own, and sends the requests that it is told. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Client, Reply, RequestOptions } from './client.ts';

const { platform, arch } = process;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Where npm puts the program, and where the package's installation script moves it. */
const places = [`@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`, 'bun/bin/bun.exe'];

/** The path of the program; null if npm has no package for this system. */
export const findBun = (): string | null =>
  places.map((place) => join(modules, place)).find((path) => existsSync(path)) ?? null;

/** The program of the process: one request for each line of its input, as JSON, and a line with its response. */
const program = `
for await (const line of console) {
  const { id, url, method, headers, body } = JSON.parse(line);
  fetch(url, { protocol: 'http3', redirect: 'manual', tls: { rejectUnauthorized: false }, method, headers, body })
    .then(async (response) => ({ status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }))
    .catch((error) => ({ error: String(error) }))
    .then((result) => console.log(JSON.stringify({ id, ...result })));
}`;

export interface Bun {
  fetch(url: string, options?: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

export function startBun(path: string): Bun {
  const child = spawn(path, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, PromiseWithResolvers<Reply>>();
  createInterface(child.stdout).on('line', (line) => {
    const { id, error, ...reply } = JSON.parse(line);
    if (error === undefined) waiting.get(id)?.resolve(reply);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  for (const event of ['exit', 'error'])
    child.on(event, () => {
      for (const { reject } of waiting.values()) reject(new Error('Bun has ended'));
    });
  let requests = 0;
  return {
    fetch(url, { method = 'GET', headers = {}, body } = {}) {
      const id = requests;
      requests += 1;
      const replied = Promise.withResolvers<Reply>();
      waiting.set(id, replied);
      const pairs = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
      child.stdin.write(
        `${JSON.stringify({ id, url, method, headers: pairs, body: body === '' ? undefined : body })}\n`,
      );
      return replied.promise;
    },
    async close() {
      child.stdin.end();
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

export function http3Client(origin: string, bun: Bun): Client {
  return {
    name: 'Bun, HTTPS/3',
    protocol: 'HTTP/3',
    secure: true,
    changes: ['TRACE', '//'],
    request: (path, options = {}) =>
      // Bun decodes what it requests by default.
      bun.fetch(origin + path, { ...options, headers: { 'accept-encoding': 'identity', ...options.headers } }),
  };
}
