/** Real clients of this machine, each of which requests one URL. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadInFirefox } from './firefox.ts';

export interface LiveClient {
  readonly name: string;
  readonly command: string;
  readonly http2: boolean;
  /** Whether it shuffles extensions, so that JA3 differs between its connections. */
  readonly shuffles: boolean;
  request(url: string): Promise<unknown>;
}

const run = promisify(execFile);
const timeout = 45_000;

const curl =
  (...options: string[]) =>
  (url: string) =>
    run('curl', ['--silent', '--insecure', '--ipv4', ...options, url], { timeout });

const chromium =
  (...options: string[]) =>
  async (url: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'seenby-chromium-'));
    // Its sandbox does not run as root; the page is our own.
    const args = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--ignore-certificate-errors'];
    try {
      await run('chromium', [...args, ...options, `--user-data-dir=${folder}`, '--dump-dom', url], { timeout });
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5 });
    }
  };

const nodeHttp2 = (url: string) => {
  const { origin, pathname } = new URL(url);
  const script = `const session = require('node:http2').connect('${origin}', { rejectUnauthorized: false });
    session.request({ ':path': '${pathname}' }).on('end', () => session.close()).resume();`;
  return run(process.execPath, ['-e', script], { timeout });
};

const openssl = async (url: string): Promise<void> => {
  const { host, hostname, pathname } = new URL(url);
  const child = run('openssl', ['s_client', '-quiet', '-connect', host, '-servername', hostname], { timeout });
  child.child.stdin?.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await child;
};

export const clients: readonly LiveClient[] = [
  { name: 'curl', command: 'curl', http2: true, shuffles: false, request: curl() },
  { name: 'curl, HTTP/1.1', command: 'curl', http2: false, shuffles: false, request: curl('--http1.1') },
  { name: 'OpenSSL', command: 'openssl', http2: false, shuffles: false, request: openssl },
  { name: 'Node', command: 'node', http2: true, shuffles: false, request: nodeHttp2 },
  {
    name: 'nghttp',
    command: 'nghttp',
    http2: true,
    shuffles: false,
    request: (url) => run('nghttp', ['--no-verify-peer', url], { timeout }),
  },
  { name: 'Chromium', command: 'chromium', http2: true, shuffles: true, request: chromium() },
  {
    name: 'Chromium, HTTP/1.1',
    command: 'chromium',
    http2: false,
    shuffles: true,
    request: chromium('--disable-http2'),
  },
  {
    name: 'Firefox',
    command: 'firefox-esr',
    http2: true,
    shuffles: false,
    request: (url) => loadInFirefox([url]),
  },
  {
    name: 'Firefox, HTTP/1.1',
    command: 'firefox-esr',
    http2: false,
    shuffles: false,
    request: (url) => loadInFirefox([url], { 'network.http.http2.enabled': false }),
  },
];
