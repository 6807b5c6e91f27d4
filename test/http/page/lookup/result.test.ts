/** Results show hostile text as text, link only http and https, and stay small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderCertificates } from '../../../../src/http/page/lookup/certificate.ts';
import { renderDns, renderRecord } from '../../../../src/http/page/lookup/dns.ts';
import { renderGrade } from '../../../../src/http/page/lookup/grade.ts';
import { renderIp } from '../../../../src/http/page/lookup/ip.ts';
import { renderRegistration } from '../../../../src/http/page/lookup/registration.ts';
import { renderJson, renderLink } from '../../../../src/http/page/lookup/result.ts';
import { hostileCertificates, hostileCheck, hostileDns, hostileIp, hostileRegistration, stranger } from './hostile.ts';

const many = <Item>(item: Item): Item[] => Array<Item>(5000).fill(item);
const long = '\u202e"<'.repeat(100_000);

const check = hostileCheck();
const registration = hostileRegistration();
const dns = hostileDns();

for (const [name, result] of Object.entries({
  'a header check': renderGrade(check),
  'a registration': renderRegistration(registration, stranger),
  'a DNS lookup': renderDns(dns),
  'an address': renderIp(hostileIp(), stranger),
  'a certificate': renderCertificates(hostileCertificates()),
}))
  test(`${name} renders hostile text as text`, () => {
    const markup = `${result.content}`;
    assert.doesNotMatch(markup, /<img|<script|\u202e|\0/);
    assert.match(markup, /&lt;img src=x onerror=alert\(1\)&gt;/);
    for (const [, href = ''] of markup.matchAll(/href="([^"]*)"/g)) assert.match(href, /^https?:|^\/lookup\/\w+\?\w+=/);
  });

test('a result that a hostile server fills stays below 256 KB and states how much is left out', () => {
  const headers = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x-${n}`, 'v']));
  const [note] = check.grade.notes;
  const [record] = dns.records;
  assert.ok(note && record);
  for (const [content, left] of [
    [renderGrade({ ...check, headers, setCookies: many(long) }), /and 9950 more/],
    [renderGrade({ ...check, grade: { ...check.grade, notes: many({ ...note, message: long }) } }), /and 4950 more/],
    [
      renderRegistration(
        {
          ...registration,
          summary: { ...registration.summary, status: many(long), nameservers: many(long), handle: long } as never,
        },
        stranger,
      ),
      /and 4950 more/,
    ],
    [renderDns({ ...dns, records: many({ ...record, data: long }), cnameChain: many(long) }), /… \d+ more characters/],
  ] as const) {
    assert.ok(`${content.content}`.length < 2 ** 18, `${`${content.content}`.length}`);
    assert.match(`${content.content}`, left);
  }
});

test('the host name of an address is shown, and absent if there is none', () => {
  const textWith = (hostname: string | null): string =>
    `${renderIp({ ...hostileIp(), hostname }, stranger).content}`.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  assert.match(textWith('dns.example'), / Host name dns\.example /);
  assert.doesNotMatch(textWith(null), /Host name/);
});

test('coordinates are shown if both are known', () => {
  const shown = (latitude: number | null, longitude: number | null): string | undefined =>
    />([-\d.]+, [-\d.]+)</.exec(`${renderIp({ ...hostileIp(), latitude, longitude }, stranger).content}`)?.[1];
  assert.equal(shown(59.9, -10.7), '59.9, -10.7');
  assert.equal(shown(null, 10.7), undefined);
  assert.equal(shown(59.9, null), undefined);
});

test('aliases are a chain with arrows between them', () => {
  const { content } = renderDns({ ...dns, cnameChain: ['a.example', 'b.example', 'c.example'] });
  const text = `${content}`.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  assert.match(text, / Alias of a\.example → b\.example → c\.example /);
  assert.doesNotMatch(text, /true|→ a\.example/);
});

test('a DS record names its digest type before the digest, so that nothing follows a long word', () => {
  const ds = { keyTag: 370, algorithm: 13, algorithmName: 'ECDSAP256SHA256', digestType: 2, digestTypeName: 'SHA-256' };
  const [record] = dns.records;
  assert.ok(record);
  const content = renderRecord({
    ...record,
    type: 'DS',
    data: 'as text',
    ds: { ...ds, digest: 'BE74' },
    error: undefined,
  });
  assert.equal(`${content}`, '<bdi>370 ECDSAP256SHA256 SHA-256 BE74</bdi>');
  const unknown = { ...ds, algorithm: 99, algorithmName: null, digestType: 9, digestTypeName: null, digest: 'BE74' };
  assert.equal(`${renderRecord({ ...record, type: 'DS', ds: unknown, error: undefined })}`, '<bdi>370 99 9 BE74</bdi>');
});

test('an address in the network of the visitor is marked, and no other', () => {
  const lookup = { ...hostileIp(), asn: 64496 };
  const marked = (asn: number | null): boolean =>
    `${renderIp(lookup, { ...stranger, asn }).content}`.includes('same network as you');
  assert.deepEqual([64496, 64497, null].map(marked), [true, false, false]);
});

test('the block for a server counts the checks that failed, or that passed and can be improved', () => {
  const [failed] = check.grade.checks;
  assert.ok(failed);
  const fixable = { ...failed, pass: false, suggestion: 'X-Frame-Options: DENY' };
  const titleOf = (checks: readonly (typeof fixable)[]): string | undefined =>
    /<h4 class="part">((?:Fix|Improve)[^<]*)/.exec(
      `${renderGrade({ ...check, grade: { ...check.grade, checks: [...checks] } }).content}`,
    )?.[1];
  const passed = { ...fixable, pass: true };
  assert.equal(titleOf([fixable, passed]), 'Fix the failed check');
  assert.equal(titleOf([fixable, fixable, passed]), 'Fix the 2 failed checks');
  assert.equal(titleOf([passed, passed]), 'Improve the 2 passed checks');
  assert.equal(titleOf([]), undefined);
});

test('points are shown with their sign, and zero points are not', () => {
  const [given] = check.grade.checks;
  assert.ok(given);
  const shown = (scoreImpact: number): string | undefined =>
    /<span class="impact">([^<]*)/.exec(
      `${renderGrade({ ...check, grade: { ...check.grade, checks: [{ ...given, scoreImpact }] } }).content}`,
    )?.[1];
  assert.deepEqual([-5, 0, 1, 5].map(shown), ['−5', '', '+1', '+5']);
});

test('only http and https URLs are links, without the Referer', () => {
  assert.match(
    `${renderLink('https://a.example/?q="')}`,
    /<a href="https:\/\/a\.example\/\?q=%22" rel="noreferrer nofollow">/,
  );
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//a.example',
    'https://',
    `https://${'a'.repeat(5000)}/`,
  ])
    assert.doesNotMatch(`${renderLink(url)}`, /<a /);
});

test('a long URL stays a link, of which the beginning is shown', () => {
  const url = `https://a.example/${'b'.repeat(300)}`;
  assert.match(
    `${renderLink(url, url, 20)}`,
    /^<a href="https:\/\/a\.example\/b{300}" [^>]+><bdi>https:\/\/a\.example\/bb<\/bdi> <span class="none">… 298 more characters<\/span><\/a>$/,
  );
});

test('JSON is cut with the number of characters left, and without invisible characters', () => {
  const markup = `${renderJson(JSON.stringify({ text: '\u202e'.repeat(30_000) }), 'registration', '/api/x?q=a&b=c')}`;
  assert.match(markup, /\\u202e/);
  assert.doesNotMatch(markup, /\u202e/);
  // A report has one for each part.
  assert.match(markup, /role="region" aria-label="JSON: registration"/);
  assert.match(markup, /… 10\d{3} more characters; <a href="\/api\/x\?q=a&amp;b=c">/);
});
