/** A certificate whose files are written again and again, never whole, does not disturb the service. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type PeerCertificate } from 'node:tls';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { assertShortTurns } from './bounds.ts';
import { measureOthers } from './others.ts';
import { startService } from './service-process.ts';

const rounds = 400;
const roundMs = 5;
/** Reloads are at least a second apart, and an attempt logs one line; of the certificate, or of both of its files. */
const linesPerSecond = 4;
/** A busy machine takes this long to reload. */
const reloadMs = 20_000;

function fingerprintOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { fingerprint256 } = socket.getPeerCertificate() as PeerCertificate;
      socket.destroy();
      resolve(fingerprint256);
    });
    socket.on('error', reject);
  });
}

test('serves with the last valid certificate while its files are torn 200 times a second', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-torn-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const first = await createLocalhostCertificate();
  const second = await createLocalhostCertificate();
  const write = (kind: 'cert' | 'key', text: string): void => writeFileSync(files[kind], text);
  for (const kind of ['cert', 'key'] as const) write(kind, first[kind]);
  const service = await startService({ TLS_CERT: files.cert, TLS_KEY: files.key });
  context.after(() => service.stop());
  const printOf = ({ cert }: { cert: string }): string => new X509Certificate(cert).fingerprint256;
  let isOver = false;
  const measured = measureOthers(service, 60_000, () => isOver);
  const before = await service.usage();
  const startMs = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const kind = round % 2 === 0 ? 'cert' : 'key';
    write(kind, second[kind].slice(0, (round * 7) % second[kind].length));
    if (round % 40 === 0) assert.equal(await fingerprintOf(service.httpsPort), printOf(first));
    await delay(roundMs);
  }
  isOver = true;
  const others = await measured;
  const usage = await service.usage();
  const mostLines = linesPerSecond * (1 + (performance.now() - startMs) / 1000);
  context.diagnostic(
    `${service.lines.length} lines of ${mostLines.toFixed(0)}; others p99 ${others.p99Ms.toFixed(0)} ms`,
  );
  assert.ok(service.lines.length <= mostLines, service.lines.join('\n'));
  assert.equal(others.failures, 0);
  assertShortTurns(context, before.yardstick, usage);

  for (const kind of ['cert', 'key'] as const) write(kind, second[kind]);
  const endMs = performance.now() + reloadMs;
  while ((await fingerprintOf(service.httpsPort)) !== printOf(second)) {
    assert.ok(performance.now() < endMs, service.lines.join('\n'));
    await delay(100);
  }
});
