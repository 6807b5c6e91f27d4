/** The DMARC policy of a name: its syntax, and the tree walk of RFC 9989. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dmarcNames, dmarcOf, parseDmarc } from '../../../src/lookups/domain/dmarc.ts';
import { failed, missing, txt } from './findings.ts';

test('queries at most eight names, up to the top-level domain', () => {
  assert.deepEqual(dmarcNames('www.example.com'), ['_dmarc.www.example.com', '_dmarc.example.com', '_dmarc.com']);
  assert.deepEqual(dmarcNames('com'), ['_dmarc.com']);
  assert.deepEqual(dmarcNames('a.b.c.d.e.f.g.h').length, 8);
  const long = dmarcNames('a.b.c.d.e.f.g.h.i.j.k');
  assert.deepEqual(
    [long.length, long[0], long[1], long.at(-1)],
    [8, '_dmarc.a.b.c.d.e.f.g.h.i.j.k', '_dmarc.e.f.g.h.i.j.k', '_dmarc.k'],
  );
});

test('matches the version exactly, with white space only around its equals sign', () => {
  for (const text of ['v=DMARC1', 'v = DMARC1;p=none', 'v=DMARC1 ; p=none', 'v\t=\tDMARC1'])
    assert.notEqual(parseDmarc(text), null, text);
  for (const text of ['v=dmarc1; p=none', ' v=DMARC1', 'v=DMARC1x', 'v=DMARC2', 'V=DMARC1', 'p=none; v=DMARC1', ''])
    assert.equal(parseDmarc(text), null, text);
});

test('keeps the value of a tag without the white space around it, and the first of several', () => {
  const { tags } = parseDmarc('v=DMARC1; p = reject ; rua=mailto:a@b.example?x=1;P=none;=;sp;1=2') ?? assert.fail();
  assert.deepEqual(
    [...tags],
    [
      ['p', 'reject'],
      ['rua', 'mailto:a@b.example?x=1'],
    ],
  );
});

const www = ['_dmarc.www.example.com', '_dmarc.example.com', '_dmarc.com'] as const;
const policyOf = (exists: boolean, ...findings: Parameters<typeof dmarcOf>[0]) => {
  const found = dmarcOf(findings, exists);
  return found.kind === 'policy' ? [found.name, found.tag, found.policy] : found.kind;
};

test('takes p at the name itself, and sp, np or p of the organizational domain', () => {
  const org = (text: string) => [missing(www[0]), txt(www[1], text), missing(www[2])] as const;
  assert.deepEqual(policyOf(true, txt(www[0], 'v=DMARC1; p=reject; sp=none')), [www[0], 'p', 'reject']);
  assert.deepEqual(policyOf(true, ...org('v=DMARC1; p=reject')), [www[1], 'p', 'reject']);
  assert.deepEqual(policyOf(true, ...org('v=DMARC1; p=reject; sp=quarantine; np=none')), [www[1], 'sp', 'quarantine']);
  assert.deepEqual(policyOf(false, ...org('v=DMARC1; p=none; sp=quarantine; np=reject')), [www[1], 'np', 'reject']);
  assert.deepEqual(policyOf(false, ...org('v=DMARC1; p=none; sp=quarantine')), [www[1], 'sp', 'quarantine']);
  assert.deepEqual(policyOf(false, ...org('v=DMARC1; p=none')), [www[1], 'p', 'none']);
});

test('walks to the shortest name with a record, and stops at psd', () => {
  const names = dmarcNames('a.b.example.co.uk');
  const at = (records: Readonly<Record<number, string>>) =>
    names.map((name, n) => (records[n] === undefined ? missing(name) : txt(name, records[n])));
  const record = 'v=DMARC1; p=reject';
  assert.deepEqual(policyOf(true, ...at({ 1: 'v=DMARC1; p=none', 2: record })), [names[2], 'p', 'reject']);
  assert.deepEqual(policyOf(true, ...at({ 1: `${record}; psd=n`, 2: 'v=DMARC1; p=none' })), [names[1], 'p', 'reject']);
  // A public suffix: the name below it, else its own record.
  assert.deepEqual(policyOf(true, ...at({ 2: record, 3: 'v=DMARC1; p=none; psd=y' })), [names[2], 'p', 'reject']);
  assert.deepEqual(policyOf(true, ...at({ 3: 'v=DMARC1; p=none; sp=quarantine; psd=y' })), [
    names[3],
    'sp',
    'quarantine',
  ]);
  assert.deepEqual(policyOf(true, ...at({ 1: record, 3: 'v=DMARC1; p=none; psd=y' })), [names[3], 'p', 'none']);
  assert.deepEqual(policyOf(true, ...at({})), 'none');
});

test('knows nothing after a failed answer on the way, unless the walk ended before it', () => {
  const record = 'v=DMARC1; p=reject';
  assert.equal(policyOf(true, failed(www[0])), 'unknown');
  assert.equal(policyOf(true, missing(www[0]), failed(www[1]), missing(www[2])), 'unknown');
  assert.equal(policyOf(true, missing(www[0]), txt(www[1], record), failed(www[2])), 'unknown');
  assert.deepEqual(policyOf(true, missing(www[0]), txt(www[1], `${record}; psd=n`), failed(www[2])), [
    www[1],
    'p',
    'reject',
  ]);
});

test('ignores several records of one name, and other texts', () => {
  const found = dmarcOf(
    [txt(www[0], 'v=DMARC1; p=reject', 'v=DMARC1; p=none'), missing(www[1]), missing(www[2])],
    true,
  );
  assert.deepEqual(found, { kind: 'none', ignored: { name: www[0], problem: 'several' } });
  assert.deepEqual(policyOf(true, txt(www[0], 'v=DMARC1; p=reject', 'v=spf1 -all', 'v=dmarc1; p=none')), [
    www[0],
    'p',
    'reject',
  ]);
});

test('reads values in any case, and ignores unknown, repeated and removed tags', () => {
  const found = dmarcOf([txt(www[0], 'v=DMARC1;P = ReJect ;p=none; x=y; rf=afrf; t=Y; pct=30;; ri=1')], true);
  assert.ok(found.kind === 'policy');
  assert.deepEqual(
    [found.stated, found.policy, found.isTesting, found.pct, found.isInherited],
    ['reject', 'quarantine', true, 30, false],
  );
});

test('counts an invalid policy as none, and only if reports are asked for', () => {
  for (const text of ['v=DMARC1', 'v=DMARC1; p=strict', 'v=DMARC1; p=reject; sp=x', 'v=DMARC1; p=reject; np='])
    for (const [rua, expected] of [
      ['', 'none'],
      ['; rua=https://example.com/', 'none'],
      ['; rua=mailto:d@example.com', [www[0], null, 'none']],
      ['; rua=x, mailto:d@example.com!10m', [www[0], null, 'none']],
    ] as const)
      assert.deepEqual(policyOf(true, txt(www[0], `${text}${rua}`)), expected, text + rua);
});
