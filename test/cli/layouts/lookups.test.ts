/** Registration data in the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysToExpiry, dns, whois } from '../../../src/cli/layouts/lookups.ts';
import type { DnsAnswer } from '../../../src/lookups/dns/schema.ts';
import type { RdapResult } from '../../../src/lookups/rdap/schema.ts';
import { summarize } from '../../../src/lookups/rdap/summary.ts';

const nowMs = Date.parse('2026-11-22T00:00:00Z');
const terminal = { width: 100, nowMs };
const source = 'https://rdap.example/domain/example.com';

const resultOf = (kind: RdapResult['kind'], query: string, data: Parameters<typeof summarize>[1]): RdapResult => ({
  query,
  kind,
  source,
  bootstrapUpdated: null,
  data,
  summary: summarize(kind, data, source),
});

const domain = resultOf('domain', 'example.com', {
  objectClassName: 'domain',
  ldhName: 'example.com',
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2026-12-01T12:00:00Z' },
  ],
  nameservers: [{ ldhName: 'a.iana-servers.net' }, { ldhName: 'b.iana-servers.net' }],
  secureDNS: { delegationSigned: true, dsData: [{}] },
});

test('prints dates and status values in words', () => {
  const text = whois.layOut(domain, terminal);
  assert.match(text, /^Domain {8}example\.com\n/);
  assert.match(text, /^Expires {7}2026-12-01 \(in \d+ days\)$/m);
  assert.match(text, /^Registered {4}1995-08-14 \(31 years ago\)$/m);
  assert.match(text, /^Status {8}client transfer prohibited: \S/m);
  assert.match(text, /^Name servers {2}a\.iana-servers\.net\n {14}b\.iana-servers\.net$/m);
  assert.match(text, /^DNSSEC {8}signed, 1 DS record$/m);
  assert.doesNotMatch(text, /summary|null/);
});

test('names no number of DS records that the registry does not state', () => {
  const withKey = resultOf('domain', 'example.com', {
    objectClassName: 'domain',
    ldhName: 'example.com',
    secureDNS: { delegationSigned: true, keyData: [{}] },
  });
  assert.match(whois.layOut(withKey, terminal), /^DNSSEC {8}signed$/m);
});

test('prints the registrant, or why there is none', () => {
  const registrantOf = (changed: object): string | undefined => {
    const summary = { ...domain.summary, ...changed } as RdapResult['summary'];
    return /^Registrant +(.*)$/m.exec(whois.layOut({ ...domain, summary }, terminal))?.[1];
  };
  const registrant = { name: 'Ada', organization: null, country: 'NO', redacted: false };
  const registrantNote = 'Only the registrar knows.';
  assert.equal(registrantOf({ registrant, registrantNote: null }), 'Ada, NO');
  assert.equal(registrantOf({ registrant: null, registrantNote }), registrantNote);
  assert.equal(registrantOf({ registrant: null, registrantNote: null }), undefined);
  const redacted = { ...registrant, redacted: true };
  const unnamed = { ...redacted, name: null, country: null };
  assert.equal(
    registrantOf({ registrant: redacted, registrantNote: null }),
    'Ada, NO (partly withheld by the registry)',
  );
  assert.equal(registrantOf({ registrant: unnamed, registrantNote: null }), 'withheld by the registry');
});

test('counts the days until a domain expires', () => {
  assert.equal(daysToExpiry(domain, nowMs), 9);
  assert.deepEqual([whois.subjectOf(domain), whois.shorten(domain)], ['example.com', 'expires 2026-12-01']);
  const numbers = { objectClassName: 'autnum', startAutnum: 64496, endAutnum: 64500, name: 'EXAMPLE' };
  const autnum = resultOf('autnum', 'AS64496', numbers);
  assert.equal(daysToExpiry(autnum, nowMs), null);
  assert.match(whois.layOut(autnum, terminal), /^AS number {5}AS64496 to AS64500\nName {10}EXAMPLE\n/);
  const block = resultOf('ip', '192.0.2.0/24', {
    objectClassName: 'ip network',
    startAddress: '192.0.2.0',
    endAddress: '192.0.2.255',
    country: 'AU',
  });
  assert.match(whois.layOut(block, terminal), /^Country {7}AU \(of the registration, not a location\)$/m);
  assert.match(whois.layOut(block, terminal), /^Block {9}192\.0\.2\.0\/24\nRange {9}192\.0\.2\.0 to 192\.0\.2\.255\n/);
});

/** Only the members that the layout uses. */
const answer = (type: DnsAnswer['type'], data: string, resolver = 'dns.example') => {
  const record = { name: 'a-rather-long-name.example.com', type, ttl: 3600, data };
  const response = { type, status: 'NOERROR', records: [record], cnameChain: [], dnssec: true, note: null, resolver };
  return response as unknown as DnsAnswer;
};

test('states what DNS responses have in common once', () => {
  const wide = { width: 100, nowMs };
  const alike = dns.layOutAll([answer('A', '192.0.2.1'), answer('AAAA', '2001:db8::1')], wide);
  assert.match(
    alike,
    /^a-.* A +192\.0\.2\.1\na-.* AAAA +2001:db8::1\n; NOERROR, DNSSEC validated, from dns\.example\n$/,
  );
  const different = dns.layOutAll([answer('A', '192.0.2.1'), answer('MX', '10 mx.', 'other.example')], wide);
  assert.match(different, /\n; A: NOERROR, .* from dns\.example\n; MX: NOERROR, .* from other\.example\n$/);
});

test('fits DNS records into narrow terminals', () => {
  for (const width of [40, 60]) {
    const text = dns.layOut(answer('TXT', 'v=spf1 include:_spf.example.com include:mail.example ~all'), {
      width,
      nowMs,
    });
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > width),
      [],
    );
  }
});
