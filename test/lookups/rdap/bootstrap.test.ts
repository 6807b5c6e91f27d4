/** A bootstrap file lists the servers for a query; the most specific entry counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatAddress, type Prefix } from '../../../src/core/address.ts';
import type { BootstrapFile } from '../../../src/core/platform.ts';
import {
  baseUrlsOf,
  isListed,
  maxBootstrapFileBytes,
  parseBootstrapFile,
} from '../../../src/lookups/rdap/bootstrap.ts';
import { bootstrapNameOf, parseQuery, type RdapQuery } from '../../../src/lookups/rdap/query.ts';
import { check } from '../../random.ts';
import { files } from './fixtures.ts';

const bases = (q: string) => {
  const query = parseQuery(q);
  return baseUrlsOf(query, files[bootstrapNameOf(query)]);
};

/** A file with one service per entry, whose URL ends in the entry's position. */
const fileOf = (...entries: string[]): BootstrapFile => ({
  publication: null,
  services: entries.map((entry, at) => ({ entries: [entry], urls: [`https://rdap.example/${at}/`] })),
});
const matched = (query: RdapQuery, entries: readonly string[]): string | null => {
  const [url] = baseUrlsOf(query, fileOf(...entries));
  return url === undefined ? null : (entries[Number(url.split('/')[3])] ?? null);
};
const domain = (name: string): RdapQuery => ({ kind: 'domain', name, fullName: name });

test('finds the server for each kind of query', () => {
  const expected = {
    'example.com': 'https://rdap.verisign.com/com/v1/',
    'www.example.co.uk': 'https://rdap.nominet.uk/uk/',
    'bücher.vermögensberatung': 'https://rdap.identitydigital.services/rdap/',
    'example.ve': 'https://rdap.nic.ve:8443/rdap/',
    '8.8.8.8': 'https://rdap.arin.net/registry/',
    '193.0.0.0/21': 'https://rdap.db.ripe.net/',
    '192.0.2.1': 'https://rdap.arin.net/registry/',
    '2001:db8::1': 'https://rdap.apnic.net/',
    '2a00:1450::/32': 'https://rdap.db.ripe.net/',
    '2001:4200::1': 'https://rdap.afrinic.net/rdap/',
    AS3333: 'https://rdap.db.ripe.net/',
    AS36864: 'https://rdap.afrinic.net/rdap/',
    AS37887: 'https://rdap.afrinic.net/rdap/',
    AS2043: 'https://rdap.db.ripe.net/',
    AS2044: 'https://rdap.arin.net/registry/',
  };
  for (const [q, url] of Object.entries(expected)) assert.deepEqual(bases(q), [url], q);
});

test('finds no server if no registry lists the query', () => {
  const none = [
    'example.de',
    'example.c0m',
    '1.0.0.10.in-addr.arpa',
    '0.0.0.0',
    '10.0.0.1',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    'fe80::1',
    'fc00::1',
    'AS0',
    'AS23456',
    'AS64512',
    'AS65536',
    'AS4200000000',
  ];
  for (const q of none) assert.deepEqual(bases(q), [], q);
});

test('uses http only if there is no https URL', () => {
  assert.deepEqual(bases('example.kg'), ['http://rdap.cctld.kg/']);
  assert.deepEqual(bases('example.cz'), ['https://rdap.nic.cz/']);
});

test('keeps the order of several https URLs', () => {
  const urls = ['http://a.example/', 'https://b.example/', 'https://c.example/'];
  const file = { publication: null, services: [{ entries: ['com'], urls }] };
  assert.deepEqual(baseUrlsOf(domain('example.com'), file), urls.slice(1));
});

test('matches whole labels from the right, the longest first', () => {
  assert.equal(matched(domain('foo.xcom'), ['com']), null);
  assert.equal(matched(domain('com.example'), ['com']), null);
  assert.equal(matched(domain('a.b.co.uk'), ['uk', 'co.uk', 'o.uk']), 'co.uk');
  assert.equal(matched(domain('a.b.co.uk'), ['co.uk', 'uk']), 'co.uk');
  assert.equal(matched(domain('example.com'), ['', 'org']), '');
  assert.equal(matched(domain('example.com'), ['', 'com']), 'com');
});

test('matches only prefixes that contain the whole block', () => {
  const ip = (q: string, ...entries: string[]) => matched(parseQuery(q), entries);
  assert.equal(ip('8.0.0.0/6', '8.0.0.0/8'), null);
  assert.equal(ip('8.0.0.0/8', '8.0.0.0/8'), '8.0.0.0/8');
  assert.equal(ip('8.1.2.3', '8.0.0.0/8', '8.1.0.0/16', '8.2.0.0/16'), '8.1.0.0/16');
  assert.equal(ip('8.1.0.0/12', '8.0.0.0/8', '8.1.0.0/16'), '8.0.0.0/8');
  assert.equal(ip('::1', '0.0.0.0/0'), null);
  assert.equal(ip('1.2.3.4', '::/0', 'nonsense', '1.2.3.4/33'), null);
});

test('reads closed ranges of AS numbers and single numbers', () => {
  const autnum = (number: number, ...entries: string[]) => matched({ kind: 'autnum', number }, entries);
  for (const number of [10, 15, 20]) assert.equal(autnum(number, '10-20'), '10-20');
  for (const number of [9, 21]) assert.equal(autnum(number, '10-20'), null);
  assert.equal(autnum(7, '7'), '7');
  for (const entry of ['', '-', '7-', '-7', '0x7', '7-9-11', 'AS7', ' 7']) assert.equal(autnum(7, entry), null, entry);
});

test('agrees with a simple implementation of RFC 9224 on random files', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('.'));
  const prefixUpTo = (maxLength: number): fc.Arbitrary<Prefix> =>
    fc
      .record({ all: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), length: fc.nat(maxLength) })
      .map(({ all, length }) => {
        const bits = (all >> BigInt(32 - length)) << BigInt(32 - length);
        return { first: { version: 4, bits }, length };
      });
  const binary = ({ first, length }: Prefix) => first.bits.toString(2).padStart(32, '0').slice(0, length);
  const text = (block: Prefix) => `${formatAddress(block.first)}/${block.length}`;
  const longest = <T>(rows: T[], fits: (row: T) => boolean, length: (row: T) => number) =>
    rows.filter(fits).reduce<T | null>((best, row) => (best === null || length(row) > length(best) ? row : best), null);

  const five = { minLength: 5, maxLength: 5 };
  const rows = fc.record({
    names: fc.array(name, five),
    requests: name,
    blocks: fc.array(prefixUpTo(7), five),
    block: prefixUpTo(11),
  });
  check(2000, rows, ({ names, requests, blocks, block }) => {
    const fits = (entry: string) => `.${requests}`.endsWith(`.${entry}`);
    assert.equal(
      matched(domain(requests), names),
      longest(names, fits, (entry) => entry.length),
      `${requests} in ${names}`,
    );

    const holder = longest(
      blocks,
      (row) => binary(block).startsWith(binary(row)),
      (row) => row.length,
    );
    const found = matched({ kind: 'ip', prefix: block }, blocks.map(text));
    assert.equal(found, holder && text(holder), `${text(block)} in ${blocks.map(text)}`);
  });
});

const parsed = (value: unknown) => parseBootstrapFile(JSON.stringify(value));

test('omits services and URLs that cannot be used', () => {
  const file = parsed({
    publication: '2026-11-18T23:00:04+01:00',
    services: [
      [
        ['COM', 7, null],
        [
          'https://rdap.example/com',
          'ftp://rdap.example/',
          'nonsense',
          7,
          'https://user:pw@rdap.example/',
          'https://rdap.example/?q=',
          'HTTPS://RDAP.example/#x',
        ],
      ],
      [['net'], ['javascript:alert(1)']],
      [[], ['https://rdap.example/']],
      [['org']],
      ['org', 'https://rdap.example/'],
      null,
      [['tag'], ['info'], ['https://rdap.example/']],
    ],
  });
  assert.deepEqual(file, {
    publication: '2026-11-18T22:00:04Z',
    services: [{ entries: ['com'], urls: ['https://rdap.example/com/'] }],
  });
});

test('returns null for text that is not a bootstrap file', () => {
  for (const value of [null, 7, 'x', [], {}, { services: {} }, { services: null }]) assert.equal(parsed(value), null);
  for (const text of ['', '<html>', '{"services":', `{"services":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]) {
    assert.equal(parseBootstrapFile(text), null);
  }
  assert.equal(parseBootstrapFile(`{"services":[]}${' '.repeat(maxBootstrapFileBytes)}`), null);
  assert.deepEqual(parsed({ services: [], publication: 'soon' }), { publication: null, services: [] });
});

test('accepts only URLs below a listed base URL', () => {
  const listed = (url: string) => isListed(new URL(url), Object.values(files));
  assert.ok(listed('https://rdap.verisign.com/com/v1/domain/EXAMPLE.COM'));
  assert.ok(listed('https://rdap.nic.ve:8443/rdap/domain/example.ve'));
  assert.ok(listed('https://RDAP.db.ripe.net:443/ip/193.0.0.0/21?x=1'));
  assert.ok(listed('http://rdap.arin.net/registry/ip/8.8.8.8'));
  for (const url of [
    'https://rdap.verisign.com/',
    'https://rdap.verisign.com/com/v10/domain/x.com',
    'https://rdap.verisign.com/com/v1/../../admin',
    'https://rdap.verisign.com/com/v1/%2e%2e/v2/',
    'https://rdap.verisign.com.evil.example/com/v1/',
    'https://rdap.verisign.com@evil.example/com/v1/',
    'https://user@rdap.verisign.com/com/v1/',
    'https://rdap.verisign.com:444/com/v1/',
    'http://rdap.verisign.com/com/v1/',
    'https://rdap.nic.ve/rdap/domain/example.ve',
  ]) {
    assert.ok(!listed(url), url);
  }
});
