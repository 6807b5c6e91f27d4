/** Servers of outbound TLS connections that cost their client CPU time: a lookup of theirs costs no more than a third of a moment. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { generate } from 'selfsigned';
import { createOutbound } from '../../src/edges/node/outbound/outbound.ts';
import { threadMs } from '../../src/native/thread-clock.ts';
import { momentMs } from '../cpu-time.ts';
import { assertWithin } from './bounds.ts';
import { ellipticKey, fieldOf, makeChain, rsaKey } from './hostile-certificates.ts';
import { type HostileServer, startHostileServer } from './hostile-tls-server.ts';

const addresses = Array.from({ length: 4 }, () => ({ address: '127.0.0.1', family: 4 }) as const);
const openOutbound = (context: TestContext) => {
  const outbound = createOutbound({ addressesOf: async () => addresses, acceptsAnyCertificate: true });
  context.after(outbound.end);
  return outbound;
};

/** Measures both users of outbound TLS, after a first one, which loads what they need. */
async function measure(context: TestContext, port: number): Promise<void> {
  const { handshakes, fetchPublic } = openOutbound(context);
  const timeoutMs = 4_000;
  const lookUp = async (): Promise<string> => {
    const found = await handshakes({ host: 'a.test', port, timeoutMs });
    return 'failure' in found ? found.failure : found.handshakes.map(({ outcome }) => outcome).join(' ');
  };
  const fetchHead = async (): Promise<string> => {
    const url = `https://a.test:${port}/`;
    const result = await fetchPublic({ method: 'GET', url, headers: {}, body: null, timeoutMs, maxBodyBytes: 0 });
    return 'failure' in result ? result.failure : `${result.status}`;
  };
  for (const [name, run] of Object.entries({ handshakes: lookUp, request: fetchHead })) {
    await run();
    const startMs = threadMs();
    const result = await run();
    const value = threadMs() - startMs;
    assertWithin(context, { name: `${name} (${result})`, value, most: momentMs() / 2, unit: 'ms' });
  }
}

/** What OpenSSL reads by default, and what it reads here. */
const sizes = [100_000, 64_000] as const;

const { private: key, cert } = await generate([{ name: 'commonName', value: 'a.test' }], { algorithm: 'sha256' });
const local = { key, cert };
const servers: Readonly<Record<string, HostileServer>> = {
  'a key exchange in a field of 6,144 bits': {
    ...local,
    dhparam: fieldOf(6_144),
    ciphers: 'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES128-SHA:@SECLEVEL=0',
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.2',
  },
  'handshakes without end': { ...local, maxVersion: 'TLSv1.2', renegotiates: true },
  '4,000 names': makeChain({ maxBytes: 0, names: 4_000 }),
  ...Object.fromEntries(
    sizes.flatMap((maxBytes) =>
      Object.entries({
        'RSA keys of 3,072 bits with exponents as long': { authorityKey: rsaKey(3_072, 3_064) },
        'RSA keys of 16,384 bits': { authorityKey: rsaKey(16_384, 64) },
        'P-521 keys': { authorityKey: ellipticKey('P-521') },
        'P-521 keys of one name': { authorityKey: ellipticKey('P-521'), hasOneName: true },
        'RSA keys of one name': { authorityKey: rsaKey(3_072, 3_064), hasOneName: true },
      }).map(([name, wish]) => [`${maxBytes} bytes of ${name}`, makeChain({ maxBytes, ...wish })]),
    ),
  ),
};

for (const [name, options] of Object.entries(servers))
  test(`${name} cost little`, async (context) => {
    const { port, end } = await startHostileServer(options);
    context.after(end);
    await measure(context, port);
  });

test('session tickets without end cost little', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'seenby-tickets-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = (name: 'key' | 'cert'): string => {
    const path = join(folder, name);
    writeFileSync(path, local[name]);
    return path;
  };
  const args = ['-accept', '0', '-key', file('key'), '-cert', file('cert'), '-num_tickets', '50000'];
  const server = spawn('openssl', ['s_server', ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  context.after(() => server.kill());
  await measure(context, await portOf(server.stdout));
});

/** The port that `openssl s_server` prints. */
async function portOf(output: Readable): Promise<number> {
  for await (const line of createInterface(output)) {
    const [, port] = /^ACCEPT .*:(\d+)$/.exec(line) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error('no server');
}
