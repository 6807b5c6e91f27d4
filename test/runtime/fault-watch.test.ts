/** Faults outside the service are logged once, and limits fit the system. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generate } from 'selfsigned';
import { watchFaults } from '../../src/runtime/fault-watch.ts';
import { createNotices } from '../../src/runtime/log.ts';
import { fitConnections, readOpenFilesLimit } from '../../src/runtime/process-limits.ts';
import { until } from '../until.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);

async function certificateFor(fromMs: number, toMs: number): Promise<string> {
  const validity = { notBeforeDate: new Date(fromMs), notAfterDate: new Date(toMs) };
  const { cert } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', ...validity });
  return cert;
}

/** Clocks that the test sets, checked every millisecond. */
function faultsAt() {
  const lines: string[] = [];
  const clocks = { wallMs: startMs, monotonicMs: 0 };
  let reads = 0;
  const faults = watchFaults(
    1,
    (_, message) => void lines.push(message),
    () => {
      reads += 1;
      return clocks;
    },
  );
  const pass = async (wallMs: number, monotonicMs: number = wallMs): Promise<string[]> => {
    clocks.wallMs += wallMs;
    clocks.monotonicMs += monotonicMs;
    const before = reads;
    // A check reads them at most twice.
    await until(() => reads > before + 2);
    return lines.splice(0);
  };
  return { faults, lines, pass };
}

test('logs a jump of the system clock, in both directions, and no drift', async () => {
  const { faults, pass } = faultsAt();
  assert.deepEqual(await pass(dayMs), []);
  assert.deepEqual(await pass(30_000, 1_000), []);
  assert.deepEqual(await pass(400 * dayMs, 1_000), ['the system clock jumped forward by 34559999 seconds; check it']);
  assert.deepEqual(await pass(-30 * 365 * dayMs, 0), ['the system clock jumped back by 946080000 seconds; check it']);
  assert.deepEqual(await pass(0), []);
  faults.end();
});

test('logs a certificate once when it expires, and the next one too', async () => {
  const { faults, lines, pass } = faultsAt();
  faults.setCertificate(await certificateFor(startMs - dayMs, startMs + dayMs));
  assert.deepEqual(await pass(dayMs - 1000), []);
  assert.deepEqual(await pass(2000), [
    'the certificate expired on 2026-01-02T00:00:00.000Z; clients reject it until you renew it',
  ]);
  assert.deepEqual(await pass(dayMs), []);
  faults.setCertificate(await certificateFor(startMs - 2 * dayMs, startMs));
  assert.match(lines.splice(0).join(), /^the certificate expired on 2026-01-01T/);
  faults.setCertificate(await certificateFor(startMs + 9 * dayMs, startMs + 10 * dayMs));
  assert.match(lines.splice(0).join(), /^the certificate is not valid before 2026-01-10T/);
  faults.end();
});

test('logs that a certificate expires also if it was not valid at first, or once more', async () => {
  const { faults, lines, pass } = faultsAt();
  faults.setCertificate(await certificateFor(startMs + dayMs, startMs + 2 * dayMs));
  assert.match(lines.splice(0).join(), /^the certificate is not valid before 2026-01-02T/);
  assert.deepEqual(await pass(dayMs + 1000), []);
  assert.match((await pass(dayMs)).join(), /^the certificate expired on 2026-01-03T/);
  assert.deepEqual(await pass(dayMs), []);
  // Set back, and later right again.
  assert.deepEqual((await pass(-1.5 * dayMs, 0)).length, 1);
  assert.match((await pass(dayMs)).join(), /^the certificate expired on 2026-01-03T/);
  faults.end();
});

test('logs an event that repeats once a minute', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const notice = createNotices(
    (event) => void lines.push(event),
    () => nowMs,
  );
  for (nowMs = 0; nowMs <= 120_000; nowMs += 1000) {
    notice('lookups_rejected', `${nowMs}`);
    notice('lookups_time_out', `${nowMs}`);
  }
  const minute = ['lookups_rejected', 'lookups_time_out'];
  assert.deepEqual(lines, [...minute, ...minute, ...minute]);
});

test('fits connections to the limit of open files', () => {
  const settings = { maxConnections: 10_000, maxOutbound: 256, port: 80, tlsPort: 443, http3Port: null };
  const maxOf = (openFiles: number | null, changed: Partial<Parameters<typeof fitConnections>[0]> = {}) =>
    fitConnections({ ...settings, ...changed }, openFiles).max;
  assert.deepEqual([maxOf(null), maxOf(1_048_576), maxOf(20_320)], [10_000, 10_000, 10_000]);
  assert.deepEqual([maxOf(1024), maxOf(1024, { tlsPort: null }), maxOf(100), maxOf(1)], [352, 704, 25, 1]);
  assert.deepEqual([maxOf(null, { maxConnections: 0 }), maxOf(1024, { maxConnections: 0 })], [0, 352]);
  assert.deepEqual([maxOf(1024, { http3Port: 443 }), maxOf(1024, { http3Port: 443, port: null })], [234, 352]);
  assert.match(fitConnections(settings, 1024).reason, /open files \(1024\) allows 352 per port; raise it/);
  assert.equal(fitConnections(settings, null).reason, 'MAX_CONNECTIONS is 10000');
});

test('reads the limit of open files', { skip: process.platform !== 'linux' }, () => {
  assert.ok((readOpenFilesLimit() ?? 0) > 0);
});
