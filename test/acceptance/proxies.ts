/** Starts proxies on free ports of this machine, from the files in docs/deploy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { until } from '../until.ts';

/** A proxy in docs/deploy, and how to run it from a folder. */
export interface DeployedProxy {
  readonly name: string;
  readonly command: string;
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
  /** Parts of the file that depend on the machine, and their replacements in a test. */
  readonly edits: (machine: Machine) => readonly (readonly [before: string | RegExp, after: string])[];
}

/** Ports of the proxy and of the service behind it, and PEM files. */
export interface Machine {
  readonly http: number;
  readonly https: number;
  readonly upstreamHttp: number;
  readonly upstreamHttps: number;
  readonly cert: string;
  readonly key: string;
  readonly both: string;
}

export interface RunningProxy {
  readonly http: string;
  readonly https: string;
  /** Ends the process. */
  close(): Promise<void>;
  /** Everything it has written: its output and every file in its folder. */
  written(): string;
  /** Removes everything it has written. */
  remove(): void;
}

const haproxyArgs = (file: string): readonly string[] => ['-db', '-f', file];
const nginxArgs: DeployedProxy['args'] = (file, folder) => [
  ...['-p', folder, '-c', file, '-e', 'stderr'],
  ...['-g', `daemon off; pid ${folder}/pid;`],
];
const loopbackBinds = ({ http, https }: Machine) =>
  [
    ['bind :::80 v4v6', `bind 127.0.0.1:${http}`],
    ['bind :::443 v4v6', `bind 127.0.0.1:${https}`],
  ] as const;

const haproxyTcp: DeployedProxy = {
  name: 'PROXY protocol, version 2',
  command: 'haproxy',
  file: 'haproxy-tcp.cfg',
  args: haproxyArgs,
  edits: (machine) => [
    ...loopbackBinds(machine),
    ['127.0.0.1:8080', `127.0.0.1:${machine.upstreamHttp}`],
    ['127.0.0.1:8443', `127.0.0.1:${machine.upstreamHttps}`],
  ],
};

export const proxies = {
  haproxy: {
    name: 'HAProxy',
    command: 'haproxy',
    file: 'haproxy.cfg',
    args: haproxyArgs,
    edits: (machine) => [
      ...loopbackBinds(machine),
      ['127.0.0.1:8080', `127.0.0.1:${machine.upstreamHttp}`],
      ['/etc/haproxy/seenby.pem', machine.both],
      [/abns@seenby/g, `abns@seenby-${machine.https}`],
    ],
  },
  nginx: {
    name: 'nginx',
    command: 'nginx',
    file: 'nginx.conf',
    args: nginxArgs,
    edits: (machine) => [
      [/listen \[::\].*;/g, ''],
      ['listen 80;', `listen 127.0.0.1:${machine.http};`],
      ['listen 443 ', `listen 127.0.0.1:${machine.https} `],
      ['127.0.0.1:8080', `127.0.0.1:${machine.upstreamHttp}`],
      ['/etc/nginx/seenby.crt', machine.cert],
      ['/etc/nginx/seenby.key', machine.key],
    ],
  },
  caddy: {
    name: 'Caddy',
    command: 'caddy',
    file: 'Caddyfile',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    edits: ({ http, https, upstreamHttp, cert, key }) => [
      ['http://seenby.example {', `http://:${http} {\nbind 127.0.0.1`],
      [
        'https://seenby.example {',
        `https://127.0.0.1:${https}, https://localhost:${https} {\nbind 127.0.0.1\ntls ${cert} ${key}`,
      ],
      ['127.0.0.1:8080', `127.0.0.1:${upstreamHttp}`],
    ],
  },
  /** The text of the file in the server block that Nginx Proxy Manager generates (its template of version 2). */
  nginxProxyManager: {
    name: 'Nginx Proxy Manager',
    command: 'nginx',
    file: 'nginx-proxy-manager.conf',
    args: nginxArgs,
    edits: ({ http, https, cert, key, upstreamHttp }) => [
      [
        /^.+$/s,
        `events {}
http {
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {
    set $forward_scheme http;
    set $server "127.0.0.1";
    set $port ${upstreamHttp};
    listen 127.0.0.1:${http};
    listen 127.0.0.1:${https} ssl http2;
    server_name _;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    access_log access.log;
    error_log error.log warn;
$&
  }
}
`,
      ],
    ],
  },
  haproxyTcp,
  haproxyTcp1: {
    ...haproxyTcp,
    name: 'PROXY protocol, version 1',
    edits: (machine) => [...haproxyTcp.edits(machine), [/send-proxy-v2/g, 'send-proxy']],
  },
} as const satisfies Record<string, DeployedProxy>;

export const isInstalled = (command: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

/** Returns the file in docs/deploy, adapted to this machine. */
function configure({ file, edits }: DeployedProxy, machine: Machine): string {
  const text = readFileSync(new URL(`../../docs/deploy/${file}`, import.meta.url), 'utf8');
  return edits(machine).reduce((before, [pattern, replacement]) => {
    const after = before.replace(pattern, replacement);
    if (after === before) throw new Error(`${file} has nothing like ${pattern}`);
    return after;
  }, text);
}

export async function startProxy(
  proxy: DeployedProxy,
  upstream: { readonly http: string | null; readonly https: string | null },
  pem: { readonly cert: string; readonly key: string },
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-proxy-'));
  const put = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const http = await findFreePort();
  const https = await findFreePort();
  const machine: Machine = {
    http,
    https,
    upstreamHttp: portOf(upstream.http),
    upstreamHttps: portOf(upstream.https),
    cert: put('cert.pem', pem.cert),
    key: put('key.pem', pem.key),
    both: put('both.pem', pem.key + pem.cert),
  };
  const file = put(proxy.file, configure(proxy, machine));
  const given = new Set(readdirSync(folder));
  const output = openSync(join(folder, 'output'), 'w');
  const child = spawn(proxy.command, proxy.args(file, folder), {
    cwd: folder,
    stdio: ['ignore', output, output],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const exited = once(child, 'exit');
  const written = (): string => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !given.has(name));
    return files
      .map((name) => join(folder, name))
      .filter((name) => statSync(name).isFile())
      .map((name) => `${name}\n${readFileSync(name, 'latin1')}`)
      .join('\n');
  };
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
    await exited;
    clearTimeout(timer);
  };
  await until(async () => child.exitCode !== null || ((await accepts(http)) && (await accepts(https))));
  if (child.exitCode !== null) throw new Error(`${proxy.command} did not start:\n${written()}`);
  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://127.0.0.1:${https}`,
    close,
    written,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

const portOf = (origin: string | null): number => (origin === null ? 0 : Number(new URL(origin).port));

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  }).then((accepted) => {
    socket.destroy();
    return accepted as boolean;
  });
}
