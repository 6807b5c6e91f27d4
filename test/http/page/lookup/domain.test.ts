/** The DNS part of a domain report: what is published, where, what is not, and what is not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDomainRecords } from '../../../../src/http/page/lookup/domain.ts';
import type { DomainRecords } from '../../../../src/lookups/domain/domain-records.ts';
import { failed, findingOf, missing, txt } from '../../../lookups/domain/findings.ts';

const types = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'HTTPS', 'DS'] as const;
type Data = Partial<Record<(typeof types)[number], readonly string[]>>;

const recordsOf = (name: string, data: Data): DomainRecords => ({
  name,
  records: types.map((type) => findingOf(name, type, { data: data[type] ?? [] })),
  spf: [],
  caa: [findingOf(name, 'CAA'), findingOf('com', 'CAA')],
  dmarc: [missing(`_dmarc.${name}`), missing('_dmarc.com')],
});

/** The text of the page, and the one line. */
function render(found: DomainRecords) {
  const { content, brief } = renderDomainRecords(found);
  const text = `${content}`
    .replaceAll(/<\/dt>|<\/dd>|<\/li>/g, ' | ')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');
  return { text, brief };
}

test('names where a record of another name was found, and what is absent', () => {
  const { text, brief } = render({
    ...recordsOf('www.example.com', { A: ['192.0.2.1'] }),
    caa: [findingOf('www.example.com', 'CAA'), findingOf('example.com', 'CAA', { data: ['0 issue "ca.example"'] })],
    dmarc: [missing('_dmarc.www.example.com'), txt('_dmarc.example.com', 'v=DMARC1; p=reject'), missing('_dmarc.com')],
  });
  assert.match(text, /CAA \| at example\.com0 issue "ca\.example"/);
  assert.match(text, /DMARC \| at _dmarc\.example\.comDMARC v=DMARC1; p=reject/);
  assert.match(text, /Not published \| AAAA, MX, NS, TXT, HTTPS \|/);
  assert.match(text, /Mail policy \| protected Receivers are requested to reject/);
  assert.doesNotMatch(text, /anyone can send|Not known/);
  assert.deepEqual(brief, ['DNSSEC validated', 'DMARC reject']);
});

test('says nothing about absence where an answer failed, but what failed and why', () => {
  const name = 'bogus.com';
  const { text, brief } = render({
    name,
    records: types.map((type) => failed(name, type)),
    spf: [],
    caa: [failed(name, 'CAA')],
    dmarc: [failed(`_dmarc.${name}`)],
  });
  assert.match(
    text,
    /Not known \| A, AAAA, MX, NS, TXT, HTTPS, DS, CAA: bogus\.com could not be resolved \(SERVFAIL\)/,
  );
  assert.match(text, /Mail policy \| not known What receivers do is not known: the DMARC record/);
  assert.match(text, /DNSSEC \| not known/);
  assert.doesNotMatch(text, /Not published|No SPF|anyone can/);
  assert.deepEqual(brief, ['DNS not known', 'DMARC not known']);
});

test('NXDOMAIN is the answer for everything', () => {
  const name = 'unregistered.com';
  const found = recordsOf(name, {});
  const records = found.records.map(({ type }) => findingOf(name, type, { status: 'NXDOMAIN' }));
  const { text, brief } = render({ ...found, records });
  assert.match(text, /unregistered\.com does not exist \(NXDOMAIN\)\./);
  assert.match(text, /Mail policy \| unregistered\.com does not exist \(NXDOMAIN\), so it states no policy for mail\./);
  assert.doesNotMatch(text, /Not published|DNSSEC|anyone|others can/);
  assert.deepEqual(brief, ['The name does not exist']);
});

test('one NXDOMAIN does not hide a name that has records', () => {
  const name = 'www.example.com';
  for (const type of types.filter((each) => each !== 'A')) {
    const found = recordsOf(name, { A: ['192.0.2.1'] });
    const records = found.records.map((each) =>
      each.type === type ? findingOf(name, type, { status: 'NXDOMAIN' }) : each,
    );
    const dmarc = [missing(`_dmarc.${name}`), txt('_dmarc.example.com', 'v=DMARC1; p=none; np=reject')];
    const { text, brief } = render({ ...found, records, dmarc });
    assert.match(text, /A \| 192\.0\.2\.1/, type);
    assert.match(text, /\(DMARC, p=none, inherited/, type);
    assert.doesNotMatch(text, /does not exist/, type);
    assert.deepEqual(brief, ['DNSSEC validated', 'DMARC none'], type);
  }
});

test('shows DS only with DNSSEC, and validation that does not cover everything', () => {
  const signed = recordsOf('example.com', { A: ['192.0.2.1'], DS: ['1 ED25519 2 AB'] });
  assert.match(render(signed).text, /DS \| 1 ED25519 2 AB/);
  assert.doesNotMatch(render(recordsOf('example.com', {})).text, /\bDS\b/);
  const mixed = signed.records.map((each) =>
    each.type === 'A' ? findingOf('example.com', 'A', { dnssec: false }) : each,
  );
  assert.match(render({ ...signed, records: mixed }).text, /DNSSEC \| validated, except A/);
});

test('DS alone does not show that a name is signed, or that it resolves', () => {
  const name = 'example.com';
  const ds = findingOf(name, 'DS', { data: ['1 ED25519 2 AB'] });
  const onlyDs = { ...recordsOf(name, {}), records: types.map((type) => (type === 'DS' ? ds : failed(name, type))) };
  assert.match(render(onlyDs).text, /DNSSEC \| not known/);
  assert.deepEqual(render(onlyDs).brief, ['DNS not known', 'no DMARC']);
  const unsigned = types.map((type) => findingOf(name, type, { dnssec: type === 'DS' }));
  const { text, brief } = render({ ...recordsOf(name, {}), records: unsigned });
  assert.match(text, /DNSSEC \| not signed: the parent zone has no DS record/);
  assert.deepEqual(brief, ['no DNSSEC', 'no DMARC']);
  const unvalidated = types.map((type) => findingOf(name, type, { dnssec: false }));
  assert.match(render({ ...recordsOf(name, {}), records: unvalidated }).text, /DNSSEC \| not validated/);
});

test('names what the domain is an alias of', () => {
  const name = 'www.example.com';
  const found = recordsOf(name, { A: ['192.0.2.1'] });
  assert.doesNotMatch(render(found).text, /Alias/);
  const records = found.records.map((finding) => ({
    ...finding,
    answer: finding.answer && { ...finding.answer, cnameChain: ['cdn.example.net', 'edge.example.net'] },
  }));
  const ofHost = render({ ...found, records }).text;
  assert.match(ofHost, /Alias of \| cdn\.example\.net → edge\.example\.net \|/);
  assert.doesNotMatch(ofHost, /not allowed/);
  const ofDomain = render({ ...found, name: 'example.com', records }).text;
  assert.match(ofDomain, /edge\.example\.net ?A CNAME record at the name of a zone is not allowed/);
});
