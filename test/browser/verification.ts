/** A certificate whose verification takes a browser longer than any network: from a CA that answers late, for a chain without its intermediate. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How late the CA answers. */
const delayMs = 500;

export interface SlowAuthority extends AsyncDisposable {
  /** Files (PEM): the certificate alone, with its intermediate, and its key. */
  readonly leaf: string;
  readonly chain: string;
  readonly key: string;
  /** How often clients have asked for the intermediate (AIA), and for the state of a certificate (OCSP). */
  readonly requests: { readonly aia: number; readonly ocsp: number };
  /** A folder with `.pki/nssdb`, in which Chromium finds the root if it is its HOME. */
  readonly home: string;
  /** Adds the root to a database of NSS, as Firefox has one in its profile. */
  trustIn(folder: string): void;
}

/** For `localhost` and these names below it. */
export async function createSlowAuthority(labels: readonly string[]): Promise<SlowAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-authority-'));
  const requests = { aia: 0, ocsp: 0 };
  const server = createServer((request, response) => {
    const isAia = request.url === '/intermediate';
    requests[isAia ? 'aia' : 'ocsp'] += 1;
    request.resume();
    // Instead of a response of OCSP, nothing: browsers go on.
    setTimeout(() => response.end(isAia ? readFileSync(join(folder, 'intermediate.der')) : ''), delayMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=Slow root',
    '-days',
    '20',
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
  );
  const names = ['localhost', ...labels.map((label) => `${label}.localhost`)].map((name) => `DNS:${name}`);
  const issue = (name: string, issuer: string, extensions: readonly string[]): void => {
    writeFileSync(join(folder, `${name}.ext`), extensions.join('\n'));
    openssl('req', ...newKey, '-subj', `/CN=Slow ${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const by = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-days', '10', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`);
  };
  issue('intermediate', 'root', ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']);
  issue('leaf', 'intermediate', [
    `subjectAltName=${names.join(',')}`,
    'extendedKeyUsage=serverAuth',
    `authorityInfoAccess=OCSP;URI:${url}/ocsp,caIssuers;URI:${url}/intermediate`,
  ]);
  openssl('x509', '-in', 'intermediate.pem', '-outform', 'DER', '-out', 'intermediate.der');
  const path = (name: string): string => join(folder, name);
  writeFileSync(
    path('chain.pem'),
    ['leaf.pem', 'intermediate.pem'].map((name) => readFileSync(path(name), 'utf8')).join(''),
  );
  const trustIn = (database: string): void => {
    execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${database}`]);
    execFileSync('certutil', ['-A', '-t', 'C,,', '-n', 'slow', '-i', path('root.pem'), '-d', `sql:${database}`]);
  };
  mkdirSync(path('.pki/nssdb'), { recursive: true });
  trustIn(path('.pki/nssdb'));
  return {
    leaf: path('leaf.pem'),
    chain: path('chain.pem'),
    key: path('leaf.key'),
    requests,
    home: folder,
    trustIn,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}
