/** Other servers of the benchmark, which respond with what their variables know of the request. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createLocalhostCertificate } from '../src/runtime/certificate.ts';
import { figuresOf, onServerCore, type ServerProcess } from './process.ts';
import type { Ports } from './server.ts';

export interface Peer {
  readonly command: string;
  readonly args: (file: string) => readonly string[];
  readonly configure: (ports: Ports, folder: string) => string;
}

/** The members of `/json` that a variable of a server can fill. */
const body = (address: string, agent: string, protocol: string): string =>
  JSON.stringify({ ip: address, userAgent: agent, protocol }, null, 2);

/** Further responses on a connection, as many as a load sends. */
const manyRequests = 1_000_000_000;

export const peers = {
  nginx: {
    command: 'nginx',
    args: (file) => ['-e', 'stderr', '-c', file],
    configure: ({ http, https }, folder) => `
      daemon off; master_process off; pid ${folder}/pid;
      events {}
      http {
        access_log off; keepalive_requests ${manyRequests}; default_type application/json;
        server {
          listen ${http}; listen ${https} ssl http2;
          ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
          # Before nginx 1.23.4, TLS 1.3 is off by default.
          ssl_protocols TLSv1.2 TLSv1.3;
          location = /ip { default_type text/plain; return 200 "$remote_addr\\n"; }
          location = /json { return 200 '${body('$remote_addr', '$http_user_agent', '$server_protocol')}'; }
        }
      }`,
  },
  Caddy: {
    command: 'caddy',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configure: ({ http, https }, folder) => {
      const responses = `
        header /json Content-Type application/json
        respond /ip "{remote_host}"
        respond /json \`${body('{remote_host}', '{header.User-Agent}', '{http.request.proto}')}\``;
      return `
        { \n admin off \n auto_https off \n log { \n output discard \n } \n }
        http://:${http} { ${responses}\n }
        https://:${https} {
          tls ${folder}/cert.pem ${folder}/key.pem
          ${responses}\n
        }`;
    },
  },
} as const satisfies Readonly<Record<string, Peer>>;

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export async function startPeer({ command, args, configure }: Peer): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-peer-'));
  const { cert, key } = await createLocalhostCertificate();
  const ports = { http: await freePort(), https: await freePort() };
  const file = join(folder, 'configuration');
  for (const [name, content] of Object.entries({
    'cert.pem': cert,
    'key.pem': key,
    configuration: configure(ports, folder),
  }))
    writeFileSync(join(folder, name), content);
  const [program = '', ...programArgs] = onServerCore([command, ...args(file)]);
  const env = { ...process.env, GOMAXPROCS: '1', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, programArgs, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const errors = text(child.stderr);
  await responds(child, ports.http).catch(async () => Promise.reject(new Error(`${command}: ${await errors}`)));
  return {
    // Caddy serves HTTP/3 on the same number.
    ports: { ...ports, http3: ports.https },
    ...figuresOf(child.pid ?? 0),
    stop() {
      child.once('exit', () => rmSync(folder, { recursive: true }));
      child.kill();
    },
  };
}

/** Waits until the server responds; rejects if it ends. */
async function responds(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/json`).catch(() => null);
    if (response?.ok) return;
    await setTimeout(50);
  }
  throw new Error(`exit code ${child.exitCode}`);
}
