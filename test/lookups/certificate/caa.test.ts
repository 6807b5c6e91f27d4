import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuerPermitted } from '../../../src/lookups/certificate/caa.ts';
import type { Finding } from '../../../src/lookups/domain/finding.ts';

const answerOf = (name: string, records: readonly string[]): Finding => ({
  name,
  type: 'CAA',
  failure: null,
  omitted: 0,
  answer: {
    name,
    type: 'CAA',
    status: 'NOERROR',
    exists: true,
    cnameChain: [],
    ttl: 60,
    dnssec: false,
    note: null,
    resolver: 'dns.example',
    records: records.map((record) => {
      const [flags = '', tag = '', value = ''] = record.split(' ');
      const caa = { flags: Number(flags), tag, value };
      return { name, type: 'CAA', ttl: 60, data: record, mx: null, txt: null, caa, soa: null };
    }),
  },
});

const issuer = "C=US\nO=Let's Encrypt\nCN=R12";

/** `found`: records at `www.a.example`, `a.example` and `example`, as far as the search went. */
const permits = (found: readonly (readonly string[])[], matched: string | null = 'www.a.example', of = issuer) => {
  const names = ['www.a.example', 'a.example', 'example'];
  const caa = found.map((records, at) => answerOf(names[at] ?? '', records));
  return issuerPermitted({ name: 'www.a.example', caa }, matched, of);
};

test('the closest name with CAA records decides', () => {
  assert.equal(permits([[], [], []]).value, true);
  assert.equal(permits([[], ['0 issue letsencrypt.org'], []]).value, true);
  assert.equal(permits([[], ['0 issue LetsEncrypt.org;validationmethods=dns-01'], []]).value, true);
  const other = permits([[], ['0 issue digicert.com', '0 issue sectigo.com'], []]);
  assert.equal(other.value, false);
  assert.match(other.reason, /^The CAA records of a\.example permit digicert\.com, sectigo\.com, not Let's Encrypt:/);
  assert.equal(permits([['0 issue ;']]).value, false);
  assert.match(permits([['0 issue ;']]).reason, /permit no authority/);
  // Only a contact: no restriction.
  assert.equal(permits([['0 iodef mailto:a@a.example']]).value, true);
});

test('a critical property that is not registered is no permission', () => {
  // The example of RFC 8659 §4.5.
  const { value, reason } = permits([[], ['0 issue letsencrypt.org', '128 tbs Unknown']]);
  assert.equal(value, null);
  assert.match(reason, /critical property that is not registered, tbs: an authority that does not know it must not/);
  assert.equal(permits([[], ['128 ISSUE letsencrypt.org', '0 tbs Unknown']]).value, true);
});

test('an authority that is not in the table is unknown, not rejected', () => {
  const { value, reason } = permits([['0 issue letsencrypt.org']], 'www.a.example', 'O=Another CA\nCN=X');
  assert.equal(value, null);
  assert.match(reason, /permit letsencrypt\.org; under which name they permit Another CA is not known/);
});

test('a wildcard is searched for at its own name, and issuewild overrides issue', () => {
  const records = ['0 issue digicert.com', '0 issuewild letsencrypt.org'];
  assert.equal(permits([[], records, []], '*.a.example').value, true);
  assert.equal(permits([[], records, []], 'www.a.example').value, false);
  assert.equal(permits([[], ['0 issue letsencrypt.org'], []], '*.a.example').value, true);
  // The host's own records ended the search, and do not apply.
  assert.equal(permits([records], '*.a.example').value, null);
});

test('what was not queried or answered is unknown', () => {
  assert.deepEqual(issuerPermitted({ unknown: 'Not tested.' }, 'a.example', issuer), {
    value: null,
    reason: 'Not tested.',
  });
  assert.equal(permits([[]], null).value, null);
  const failed = { ...answerOf('a.example', []), answer: null, failure: 'No response.' };
  assert.equal(issuerPermitted({ name: 'a.example', caa: [failed] }, 'a.example', issuer).value, null);
});
