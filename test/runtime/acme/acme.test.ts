/** Certificates from a certificate authority: the first one, renewals, restarts, and every kind of failure. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes, type X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import type { Settings } from '../../../src/core/settings.ts';
import type { Bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { Service } from '../../../src/runtime/serve.ts';
import { http1Client, http2Client } from '../../acceptance/client.ts';
import { nestedOslo, writeMmdb } from '../../mmdb.ts';
import { startNode } from '../../node-service.ts';
import { type Authority, skip, startAuthority } from './authority.ts';

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

function createDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-acme-'));
  folders.push(folder);
  return folder;
}

/** Loading the embedded databases for each service would take most of the time. */
const database = join(createDataFolder(), 'city.mmdb');
const record = { ...nestedOslo, autonomous_system_number: 64_500 };
writeFileSync(database, writeMmdb({ databaseType: 'Test', ipVersion: 4, networks: { '127.0.0.0/8': record } }));

const quick: Partial<Bounds> = { acmeCheckMs: 20, acmePollMs: 10, acmeRetryMs: 200 };

interface Running extends Service {
  readonly lines: readonly string[];
  /** Resolves with the first line that matches and that no earlier call returned. */
  line(pattern: RegExp): Promise<string>;
}

/** Far more than any line takes, also on a busy machine. */
const lineTimeoutMs = 120_000;

/** Starts the service with the ports of the authority leading to it. */
async function start(
  t: TestContext,
  { directoryUrl, http, tls }: Authority,
  settings: Partial<Settings>,
  onLine: (line: string) => void = () => {},
): Promise<Running> {
  const lines: string[] = [];
  let seen = 0;
  let wake = (): void => {};
  const log = (line: string): void => {
    onLine(line);
    lines.push(line);
    wake();
  };
  const databases = { geoipCity: [database], geoipAsn: [database] };
  const given = { host: '127.0.0.1', ...databases, acmeDirectory: directoryUrl, acmeTermsAgreed: true, ...settings };
  for (const relay of [http, tls]) relay.leadTo(null);
  const service = await startNode(given, quick, log);
  // Before the authority reads them: the account comes first.
  http.leadTo(service.http === null ? null : Number(new URL(service.http).port));
  tls.leadTo(Number(new URL(`${service.https}`).port));
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= service.close();
    return closing;
  };
  t.after(close);
  return {
    ...service,
    close,
    lines,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no line ${pattern} in:\n${lines.join('\n')}`)), lineTimeoutMs);
        wake = () => {
          const at = lines.findIndex((each, index) => index >= seen && pattern.test(each));
          if (at === -1) return;
          seen = at + 1;
          clearTimeout(timer);
          resolve(lines[at] as string);
        };
        wake();
      }),
  };
}

async function servedCertificate({ https }: Service, servername: string): Promise<X509Certificate> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(`${https}`).port),
    servername,
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  assert.ok(certificate);
  return certificate;
}

/** PEM: the key and the chain. */
const storedCertificate = (dataDir: string): string => readFileSync(certificateFileIn(dataDir), 'utf8');

const certificateFileIn = (dataDir: string): string =>
  join(dataDir, 'acme', readdirSync(join(dataDir, 'acme'))[0] ?? '', 'certificate.pem');

/** Below the folder, with their modes in octal. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path.replace(/127[^/]*_dir/, 'ca')} ${(statSync(join(folder, path)).mode & 0o777).toString(8)}`)
    .sort();
}

describe('ACME_DOMAIN', { skip }, () => {
  let authority: Authority;
  before(async () => {
    authority = await startAuthority();
    for (const name of ['a.example', 'b.example']) authority.names.add(name);
  });
  after(() => authority.end());

  test('obtains a certificate for two domains by HTTP-01, stores it, and uses it after a restart', async (t) => {
    const dataDir = createDataFolder();
    const settings = { dataDir, acmeDomain: ['a.example', 'b.example'], acmeEmail: 'ops@a.example' };
    const tlsBefore = authority.tls.accepted();
    const publicUrl = 'https://a.example';
    const service = await start(t, authority, { ...settings, redirectHttps: true, publicUrl, portCheck: true });
    assert.match(
      await service.line(/ordering/),
      /^ordering a certificate for a\.example, b\.example from 127\.0\.0\.1:/,
    );
    assert.match(
      await service.line(/obtained/),
      /^obtained a certificate for a\.example, b\.example, valid until 20\S+Z; renewal on 20\S+Z$/,
    );
    const served = await servedCertificate(service, 'b.example');
    assert.deepEqual([served.checkHost('a.example'), served.checkHost('b.example')], ['a.example', 'b.example']);
    assert.match(served.issuer, /Pebble/);
    assert.equal(served.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
    assert.equal(authority.tls.accepted(), tlsBefore);
    for (const client of [http1Client(`${service.http}`), http2Client(`${service.https}`)])
      assert.equal((await client.request('/.well-known/acme-challenge/other')).status, 404);
    // Each is a name of the service, also for the tests that reject foreign ones.
    for (const [host, status] of Object.entries({ 'a.example': 200, 'b.example': 200, 'c.example': 403 })) {
      const head = { method: 'HEAD', headers: { host } };
      assert.equal((await http1Client(`${service.http}`).request('/api/port', head)).status, status, host);
    }
    await service.close();
    assert.deepEqual(filesIn(dataDir), [
      'acme 700',
      'acme/ca 700',
      'acme/ca/account.pem 600',
      'acme/ca/certificate.pem 600',
    ]);

    const orders = authority.orders();
    const again = await start(t, authority, settings);
    assert.match(again.lines.join(), /^using the stored certificate for a\.example, b\.example, valid until /);
    assert.equal((await servedCertificate(again, 'a.example')).serialNumber, served.serialNumber);
    await again.close();
    assert.deepEqual([authority.orders(), again.lines.length], [orders, 1]);
  });

  test('obtains a certificate by TLS-ALPN-01 if the plain port is off', async (t) => {
    const httpBefore = authority.http.accepted();
    const settings = { dataDir: createDataFolder(), acmeDomain: ['a.example'], publicUrlV4: 'https://v4.example' };
    const service = await start(t, authority, { ...settings, port: null });
    await service.line(/^ACME_DOMAIN does not contain v4\.example/);
    await service.line(/^obtained/);
    assert.equal((await servedCertificate(service, 'a.example')).checkHost('a.example'), 'a.example');
    assert.equal((await http2Client(`${service.https}`).request('/ip')).body, '127.0.0.1\n');
    assert.equal(authority.http.accepted(), httpBefore);
  });

  const isOneThread = process.platform !== 'linux' && 'one port for several threads needs Linux';
  test('serves challenges and the certificate on each of two threads', { skip: isOneThread }, async (t) => {
    const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'], threads: 2 });
    await service.line(/^obtained/);
    assert.equal(service.lines.filter((line) => line.startsWith('ordering')).length, 1);
    const { serialNumber } = await servedCertificate(service, 'a.example');
    // So many that each thread gets some.
    const served = await Promise.all(Array.from({ length: 20 }, () => servedCertificate(service, 'a.example')));
    for (const certificate of served) assert.equal(certificate.serialNumber, serialNumber);
    assert.equal(served[0]?.checkHost('a.example'), 'a.example');
  });

  test('tries TLS-ALPN-01 if HTTP-01 fails', async (t) => {
    const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'] });
    authority.http.leadTo(null);
    await service.line(/^obtained/);
    assert.deepEqual(
      service.lines.filter((line) => line.startsWith('no certificate')),
      [],
    );
  });

  test('serves its own certificate and explains a domain that does not lead here, until it does', async (t) => {
    const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['late.example'] });
    assert.match(
      await service.line(/^no certificate/),
      /^no certificate for late\.example: late\.example could not be validated by HTTP-01 \(.*late\.example.*\); .*; next attempt in \d seconds$/,
    );
    assert.equal((await servedCertificate(service, 'late.example')).checkHost('localhost'), 'localhost');
    authority.names.add('late.example');
    await service.line(/^obtained/);
    assert.equal((await servedCertificate(service, 'late.example')).checkHost('late.example'), 'late.example');
  });

  test('explains ports that do not lead here', async (t) => {
    const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'] });
    for (const relay of [authority.http, authority.tls]) relay.leadTo(null);
    const line = await service.line(/^no certificate/);
    assert.match(
      line,
      /by HTTP-01 \(.*\); a\.example could not be validated by TLS-ALPN-01 \(.*\); check the firewall, and that port 80/,
    );
    assert.match(
      line,
      /port 80 of the public IP address reaches PORT 0 of this server, or port 443 reaches TLS_PORT 0/,
    );
  });

  test('orders another certificate if a domain is added, and serves the stored one meanwhile', async (t) => {
    const dataDir = createDataFolder();
    const first = await start(t, authority, { dataDir, acmeDomain: ['a.example'] });
    await first.line(/^obtained/);
    const { serialNumber } = await servedCertificate(first, 'a.example');
    await first.close();
    const second = await start(t, authority, { dataDir, acmeDomain: ['a.example', 'b.example'] });
    assert.match(
      second.lines[0] ?? '',
      /^using the stored certificate for a\.example, valid until \S+: it does not cover b\.example; clients of these names reject it until a new /,
    );
    await second.line(/^obtained/);
    const served = await servedCertificate(second, 'b.example');
    assert.notEqual(served.serialNumber, serialNumber);
    assert.equal(served.checkHost('b.example'), 'b.example');
    await second.close();
    // Fewer domains need no other certificate.
    const third = await start(t, authority, { dataDir, acmeDomain: ['b.example'] });
    assert.equal((await servedCertificate(third, 'b.example')).serialNumber, served.serialNumber);
  });

  test('replaces a damaged certificate file', async (t) => {
    const dataDir = createDataFolder();
    const first = await start(t, authority, { dataDir, acmeDomain: ['a.example'] });
    await first.line(/^obtained/);
    await first.close();
    const file = certificateFileIn(dataDir);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 1500));
    const second = await start(t, authority, { dataDir, acmeDomain: ['a.example'] });
    assert.match(
      await second.line(/^ignoring/),
      /^ignoring the certificate in ".*certificate\.pem" \(damaged\); ordering another/,
    );
    await second.line(/^obtained/);
  });

  test('uses a certificate that cannot be stored', async (t) => {
    const dataDir = createDataFolder();
    const removeFolder = (line: string): void => {
      if (line.startsWith('ordering')) rmSync(join(dataDir, 'acme'), { recursive: true });
    };
    const service = await start(t, authority, { dataDir, acmeDomain: ['a.example'] }, removeFolder);
    assert.match(
      await service.line(/^could not store/),
      /^could not store the certificate in ".*certificate\.pem" \(ENOENT\); each start orders another one$/,
    );
    assert.equal((await servedCertificate(service, 'a.example')).checkHost('a.example'), 'a.example');
  });

  test('stops while the authority is silent', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const connected = once(silent, 'connection');
    const acmeDirectory = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const service = await start(t, authority, {
      dataDir: createDataFolder(),
      acmeDomain: ['a.example'],
      acmeDirectory,
    });
    const [socket] = (await connected) as [Socket];
    socket.on('error', () => {});
    await service.close();
    // Below the time limit of the request.
    assert.deepEqual(service.lines.length, 1);
    socket.destroy();
  });

  test('continues if the authority is unreachable, and stops during an order', async (t) => {
    authority.connect(false);
    const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'] });
    assert.match(
      await service.line(/^no certificate/),
      /^no certificate for a\.example: the certificate authority is unreachable; check ACME_DIRECTORY, and that this server may open connections to it; next attempt/,
    );
    authority.connect(true);
    await service.line(/^ordering/);
    await service.close();
    assert.doesNotMatch(service.lines.slice(-1).join(), /^no certificate/);
  });
});

describe('an IP address in ACME_DOMAIN', { skip }, () => {
  for (const names of [['127.0.0.1', 'a.example'], ['127.0.0.1'], ['::1']])
    for (const port of [0, null])
      test(`is certified by ${port === null ? 'TLS-ALPN-01' : 'HTTP-01'}: ${names.join(', ')}`, async (t) => {
        const [host = ''] = names;
        const authority = await startAuthority({ host });
        t.after(authority.end);
        authority.names.add('a.example');
        // OpenSSL lists domains first.
        const stated = names.toSorted().reverse().join(', ');
        const dataDir = createDataFolder();
        const service = await start(t, authority, { dataDir, acmeDomain: names, port });
        assert.match(
          await service.line(/^obtained/),
          new RegExp(`^obtained a certificate for ${names.join(', ')}, valid`),
        );
        assert.equal(authority[port === null ? 'http' : 'tls'].accepted(), 0);
        await service.close();
        const again = await start(t, authority, { dataDir, acmeDomain: [...names, 'c.example'], port });
        assert.match(
          again.lines[0] ?? '',
          new RegExp(`^using the stored certificate for ${stated}, valid until \\S+: it does not cover c\\.example;`),
        );
        const [, issuer] = storedCertificate(dataDir).match(/-----BEGIN CERTIFICATE[\s\S]+?-----END.*/g) ?? [];
        // Without SNI, as each client of an address; an authority that clients know signs the issuer.
        const client = connect({ host, port: authority.tls.port, ca: issuer ?? '', allowPartialTrustChain: true });
        await once(client, 'secureConnect');
        assert.equal(client.authorized, true);
        client.destroy();
      });
});

test('binds its account to one at the website of the authority, and states if that is required', {
  skip,
}, async (t) => {
  const acmeEabKid = 'kid-1';
  const acmeEabHmacKey = randomBytes(32).toString('base64url');
  const other = await startAuthority({ accountKeys: { [acmeEabKid]: acmeEabHmacKey } });
  t.after(other.end);
  other.names.add('a.example');
  const settings = { dataDir: createDataFolder(), acmeDomain: ['a.example'] };
  const unbound = await start(t, other, settings);
  assert.match(await unbound.line(/^no certificate/), /; set ACME_EAB_KID and ACME_EAB_HMAC_KEY: /);
  await unbound.close();
  const foreign = { acmeEabKid, acmeEabHmacKey: randomBytes(32).toString('base64url') };
  const rejected = await start(t, other, { ...settings, ...foreign });
  assert.doesNotMatch(await rejected.line(/^no certificate/), new RegExp(foreign.acmeEabHmacKey));
  await rejected.close();
  const bound = await start(t, other, { ...settings, acmeEabKid, acmeEabHmacKey });
  await bound.line(/^obtained/);
});

test('renews at two thirds of the lifetime, and keeps the old one while that fails', { skip }, async (t) => {
  const authority = await startAuthority({ validitySeconds: 4 });
  t.after(authority.end);
  authority.names.add('a.example');
  // Before the next event: the renewal must fail.
  const stopAuthority = (line: string): void => {
    if (line.startsWith('obtained')) authority.connect(false);
  };
  const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'] }, stopAuthority);
  await service.line(/^obtained/);
  const { serialNumber } = await servedCertificate(service, 'a.example');
  assert.match(
    await service.line(/^no certificate/),
    /; the previous one is valid until 20\S+Z; next attempt in \d seconds$/,
  );
  assert.equal((await servedCertificate(service, 'a.example')).serialNumber, serialNumber);
  authority.connect(true);
  await service.line(/^obtained/);
  assert.notEqual((await servedCertificate(service, 'a.example')).serialNumber, serialNumber);
});

test('renews when the authority suggests it, and names the certificate that it replaces', { skip }, async (t) => {
  const authority = await startAuthority({ validitySeconds: 60 });
  t.after(authority.end);
  authority.names.add('a.example');
  const suggesting = await startSuggesting(t, authority);
  const service = await start(t, suggesting, { dataDir: createDataFolder(), acmeDomain: ['a.example'] });
  await service.line(/^obtained/);
  const first = await servedCertificate(service, 'a.example');
  await service.line(
    /^renewal on 20\S+Z; the certificate authority suggests 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z$/,
  );
  await service.line(/^obtained/);
  const second = await servedCertificate(service, 'a.example');
  assert.notEqual(second.serialNumber, first.serialNumber);
  const id = idOf(first);
  assert.equal(suggesting.asked[0], `/info/${id}`);
  const [before, after] = suggesting.ordered;
  assert.deepEqual([before?.replaces, after?.replaces], [undefined, id]);
});

const dayMs = 86_400_000;

test('renews a stored certificate when the authority suggests it, although two thirds have passed', {
  skip,
}, async (t) => {
  const authority = await startAuthority();
  t.after(authority.end);
  authority.names.add('a.example');
  const nowMs = Date.now();
  const timeAfter = (days: number): string => new Date(nowMs + days * dayMs).toISOString();
  const suggesting = await startSuggesting(t, authority, { start: timeAfter(70), end: timeAfter(75) });
  const settings = { dataDir: createDataFolder(), acmeDomain: ['a.example'] };
  const first = await start(t, suggesting, settings);
  await first.line(/^obtained/);
  await first.close();
  t.mock.method(Date, 'now', () => nowMs + 65 * dayMs);
  const second = await start(t, suggesting, settings);
  await second.line(/; the certificate authority suggests/);
  await second.close();
  assert.equal(second.lines.length, 2, second.lines.join('\n'));
  assert.equal(suggesting.ordered.length, 1);
});

/** The identifier of RFC 9773 §4.1, from what OpenSSL prints. */
function idOf(certificate: X509Certificate): string {
  const options = ['x509', '-noout', '-serial', '-ext', 'authorityKeyIdentifier'];
  const { stdout } = spawnSync('openssl', options, { input: certificate.toString(), encoding: 'utf8' });
  const [, serial = ''] = /serial=([\dA-F]+)/.exec(stdout) ?? [];
  const [, key = ''] = /Identifier:\s+([\dA-F:]+)/.exec(stdout) ?? [];
  const der = /^[89A-F]/.test(serial) ? `00${serial}` : serial;
  return [key.replaceAll(':', ''), der].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}

interface Suggesting extends Authority {
  /** Paths of requests for renewal information. */
  readonly asked: readonly string[];
  readonly ordered: readonly { readonly replaces?: string }[];
}

const pastWindow = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };

/** Adds renewal information, which Debian's pebble does not have. */
async function startSuggesting(
  t: TestContext,
  authority: Authority,
  suggestedWindow: object = pastWindow,
): Promise<Suggesting> {
  const cert = readFileSync(authority.caFile);
  const key = readFileSync(join(dirname(authority.caFile), 'key.pem'));
  const asked: string[] = [];
  const ordered: { replaces?: string }[] = [];
  const server = createHttpsServer({ cert, key }, async (incoming, response) => {
    const { url = '', method, headers } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    if (url.startsWith('/info/')) {
      asked.push(url);
      response.end(JSON.stringify({ suggestedWindow }));
      return;
    }
    if (url === '/order-plz')
      ordered.push(JSON.parse(Buffer.from(JSON.parse(`${body}`).payload, 'base64url').toString()));
    // With its Host, from which pebble builds URLs.
    const forwarded = httpsRequest(new URL(url, authority.directoryUrl), { method, headers, ca: cert, agent: false });
    forwarded.end(body);
    // The authority may end before the service.
    const [upstream] = (await once(forwarded, 'response').catch(() => [])) as IncomingMessage[];
    if (upstream === undefined) return void response.destroy();
    const text = Buffer.concat(await upstream.toArray()).toString();
    const { 'content-length': _, 'transfer-encoding': __, ...others } = upstream.headers;
    response.writeHead(upstream.statusCode ?? 500, others);
    response.end(url === '/dir' ? JSON.stringify({ ...JSON.parse(text), renewalInfo: `${origin}/info` }) : text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...authority, directoryUrl: `${origin}/dir`, asked, ordered };
}

test('repeats requests whose nonce the authority rejects', { skip }, async (t) => {
  // acme-client repeats a request five times; then the next attempt begins.
  const authority = await startAuthority({ rejectedNonces: 50 });
  t.after(authority.end);
  authority.names.add('a.example');
  const service = await start(t, authority, { dataDir: createDataFolder(), acmeDomain: ['a.example'] });
  await service.line(/^obtained/);
});
