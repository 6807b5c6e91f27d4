/** The report about a domain in the terminal: a line for each part, also for one without a result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasResult, layOut, shorten } from '../../../src/cli/layouts/domain.ts';
import { summarize } from '../../../src/lookups/rdap/summary.ts';

const terminal = { width: Number.POSITIVE_INFINITY, nowMs: Date.parse('2026-11-22T00:00:00Z') };
const source = 'https://rdap.example/domain/example.com';
const data = {
  objectClassName: 'domain',
  ldhName: 'example.com',
  events: [{ eventAction: 'expiration', eventDate: '2027-12-01T12:00:00Z' }],
  entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'A Registrar']]] }],
};
const failed = { error: 'target_timeout', message: 'The target timed out; try again later.' };
const report = {
  name: 'example.com',
  registration: {
    query: 'example.com',
    kind: 'domain' as const,
    source,
    bootstrapUpdated: null,
    data,
    summary: summarize('domain', data, source),
  },
  dns: failed,
  headers: failed,
  address: failed,
  certificate: failed,
};

test('begins each line with the title of the part, and states why a part is missing', () => {
  const [domain, registration, dns, ...others] = layOut(report, terminal).split('\n');
  assert.equal(domain, 'Domain            example.com');
  assert.equal(registration, 'Registration      Expires in 12 months · A Registrar');
  assert.equal(dns, 'DNS               - (The target timed out)');
  assert.equal(others[0], 'Security headers  - (The target timed out)');
});

test('shows a name in its own letters, beside the one that is registered', () => {
  const [domain] = layOut({ ...report, name: 'xn--mnchen-3ya.example' }, terminal).split('\n');
  assert.equal(domain, 'Domain            münchen.example = xn--mnchen-3ya.example');
});

test('names each part without a result in short', () => {
  assert.equal(
    shorten(report, terminal),
    'Expires in 12 months · DNS: - · Security headers: - · Address: - · Certificate: -',
  );
});

test('has no result if all parts only state why they have none', () => {
  const without = { ...report, registration: failed };
  assert.deepEqual([report, without].map(hasResult), [true, false]);
  const certificates = (found: readonly object[]) => ({ ...without, certificate: { certificates: found } as never });
  assert.deepEqual([certificates([]), certificates([{}])].map(hasResult), [false, true]);
});
