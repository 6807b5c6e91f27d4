/** Log lines about the renewal of the certificate in use. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { generate } from 'selfsigned';
import { createCertificateInUse } from '../../../src/runtime/acme/in-use.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
mock.method(Math, 'random', () => 0);
mock.method(Date, 'now', () => startMs);
after(() => mock.restoreAll());

const made = await generate([{ name: 'commonName', value: 'a.example' }], {
  keyType: 'ec',
  notBeforeDate: new Date(startMs),
  notAfterDate: new Date(startMs + 90 * dayMs),
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'a.example' }] }],
});

/** A certificate of 90 days from 1 January, due after two thirds of them. */
function useNew() {
  const lines: string[] = [];
  const inUse = createCertificateInUse(['a.example'], (_, message) => void lines.push(message));
  inUse.use({ cert: made.cert, key: made.private }, 'stored', false);
  assert.match(lines.shift() ?? '', /; renewal on 2026-03-02T00:00:00Z$/);
  return {
    /** Returns the lines that result from the suggestion of a window of two days. */
    suggest(day: number, explanation: string | null = null, cert = made.cert): string[] {
      const fromMs = startMs + day * dayMs;
      inUse.suggest(cert, { fromMs, toMs: fromMs + 2 * dayMs }, explanation);
      return lines.splice(0);
    },
  };
}

const onDay20 =
  'renewal on 2026-01-21T00:00:00Z; the certificate authority suggests 2026-01-21T00:00:00Z to 2026-01-23T00:00:00Z';

test('states what the authority suggests, and the time within our bounds', () => {
  const { suggest } = useNew();
  assert.deepEqual(suggest(20), [onDay20]);
  assert.deepEqual(suggest(-20), [
    'renewal on 2026-01-02T00:00:00Z; the certificate authority suggests 2025-12-12T00:00:00Z to 2025-12-14T00:00:00Z',
  ]);
  assert.deepEqual(suggest(88), [
    'renewal on 2026-03-23T00:00:00Z; the certificate authority suggests 2026-03-30T00:00:00Z to 2026-04-01T00:00:00Z',
  ]);
});

test('states a time that moves with each response only after a hundredth of the lifetime', () => {
  const { suggest } = useNew();
  assert.equal(suggest(20).length, 1);
  const days = Array.from({ length: 100 }, (_, at) => 20 + at / 10);
  // A line for each 0.9 days, not counted from the previous suggestion.
  assert.equal(days.flatMap((day) => suggest(day)).length, 9);
});

test('states the explanation of the authority, but not each one of the same time', () => {
  const { suggest } = useNew();
  assert.deepEqual(suggest(20), [onDay20]);
  assert.deepEqual(suggest(20, 'https://ca.example/1'), [`${onDay20}; see https://ca.example/1`]);
  assert.deepEqual(suggest(20, 'https://ca.example/2'), []);
  assert.match(suggest(10, 'https://ca.example/3').join(), /^renewal on 2026-01-11.*; see https:\/\/ca\.example\/3$/);
});

test('ignores a suggestion for another certificate', () => {
  assert.deepEqual(useNew().suggest(20, null, 'other'), []);
});
