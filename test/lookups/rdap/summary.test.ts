/** A summary has one schema for all registries, despite their differences. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress, parsePrefix } from '../../../src/core/address.ts';
import { AutnumSummary, DomainSummary, IpSummary } from '../../../src/lookups/rdap/schema.ts';
import { autnumSummary, cidrsOf, domainSummary, ipSummary, summarize } from '../../../src/lookups/rdap/summary.ts';
import { fixture } from './fixtures.ts';

const domain = (path: string) => DomainSummary.parse(summarize('domain', fixture(path), ''));
const ip = (path: string) => IpSummary.parse(summarize('ip', fixture(path), `https://${path}`));
const autnum = (path: string) => AutnumSummary.parse(summarize('autnum', fixture(path), `https://${path}`));

test('reads a thin registry: upper-case names, abuse contact inside the registrar, no registrant', () => {
  assert.deepEqual(domain('rdap.verisign.com/com/v1/domain/example.com'), {
    name: 'example.com',
    unicodeName: 'example.com',
    handle: '2336799_DOMAIN_COM-VRSN',
    status: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
    registered: '1995-08-14T04:00:00Z',
    expires: '2027-08-13T04:00:00Z',
    updated: '2026-08-14T07:01:39Z',
    transferred: null,
    registrar: {
      name: 'Plain Registrar, Inc.',
      ianaId: 9990,
      url: 'http://www.registrar.example/',
      email: null,
      phone: null,
    },
    abuse: { name: null, email: 'abuse@registrar.example', phone: '+1.7035550123' },
    registrant: null,
    nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
    dnssec: { signed: true, ds: 1 },
    registrarRdap: 'https://rdap.registrar.example/rdap/domain/EXAMPLE.COM',
    registrantNote:
      "The registry does not publish the registrant. The registrar's RDAP server may: https://rdap.registrar.example/rdap/domain/EXAMPLE.COM",
    whoisServer: null,
    redacted: [],
    omitted: 0,
  });
});

test('reads a thick registry that redacts the registrant (RFC 9537)', () => {
  const found = domain('rdap.publicinterestregistry.org/rdap/domain/example.org');
  assert.deepEqual(found.registrant, { name: null, organization: 'Example Foundation', country: 'US', redacted: true });
  assert.deepEqual(found.redacted, [
    'Registry Registrant ID',
    'Registrant Name',
    'Registrant Street',
    'Registrant Email',
    'Tech Name',
  ]);
  assert.equal(found.transferred, '2009-02-11T00:00:00Z');
  assert.equal(found.updated, '2026-08-31T12:04:21.912Z');
  assert.deepEqual(found.dnssec, { signed: false, ds: 0 });
  assert.deepEqual(found.registrar, {
    name: 'Thick Registrar LLC',
    ianaId: 9991,
    url: 'https://www.thick.example/',
    email: 'support@thick.example',
    phone: '+44.2075550199;ext=12',
  });
});

test('skips a fax number', () => {
  const found = domain('rdap.publicinterestregistry.org/rdap/domain/example.org');
  assert.deepEqual(found.abuse, { name: 'Abuse Desk', email: 'abuse@thick.example', phone: '+44.2075550101' });
});

test('reads .fr: secureDns, several roles in one entity, units in org, a country name', () => {
  const found = domain('rdap.nic.fr/domain/example.fr');
  assert.deepEqual(found.dnssec, { signed: true, ds: 2 });
  assert.deepEqual(found.registrant, {
    name: 'SARL Exemple',
    organization: 'SARL Exemple',
    country: 'FR',
    redacted: false,
  });
  assert.deepEqual(found.registrar, {
    name: 'BUREAU D’ENREGISTREMENT',
    ianaId: null,
    url: 'http://bureau.example/fr/',
    email: 'noc@bureau.example',
    phone: '+33.170184801',
  });
  assert.equal(found.abuse, null);
  assert.deepEqual(found.nameservers, ['ns1.example.fr', 'ns2.example.fr']);
  assert.equal(found.updated, '2026-08-31T22:12:33Z');
  assert.equal(found.registrarRdap, null);
  assert.equal(found.whoisServer, 'whois.nic.fr');
});

test('reads .uk: a country code in the address, a web address that is not a URL', () => {
  const found = domain('rdap.nominet.uk/uk/domain/example.co.uk');
  assert.deepEqual(found.registrant, { name: 'Nominet UK', organization: null, country: 'GB', redacted: true });
  assert.equal(found.registrar?.url, null);
});

test('reads an IDN: EPP status terms, placeholders, an id as a number in an object', () => {
  const found = domain('rdap.identitydigital.services/rdap/domain/xn--bcher-kva.xn--vermgensberatung-pwb');
  assert.equal(found.name, 'xn--bcher-kva.xn--vermgensberatung-pwb');
  assert.equal(found.unicodeName, 'bücher.vermögensberatung');
  assert.deepEqual(found.status, ['client transfer prohibited', 'add period', 'active']);
  assert.deepEqual(found.registrant, { name: null, organization: null, country: 'DE', redacted: true });
  assert.equal(found.registrar?.ianaId, 9992);
  assert.equal(found.registrar?.email, 'info@namen.example');
});

test('reads entities without a card, and a date without a time', () => {
  const found = domain('rdap.nic.cz/domain/example.cz');
  assert.deepEqual(found.registrar, { name: 'REG-EXAMPLE', ianaId: null, url: null, email: null, phone: null });
  assert.deepEqual(found.registrant, { name: null, organization: null, country: null, redacted: false });
  assert.equal(found.expires, '2027-03-05T00:00:00Z');
  assert.deepEqual(found.dnssec, { signed: null, ds: 0 });
});

test('returns every field for an empty object', () => {
  const found = domain('rdap.cctld.kg/domain/example.kg');
  assert.deepEqual(found, { ...domainSummary({}), name: 'example.kg', unicodeName: 'example.kg' });
  assert.deepEqual(domainSummary({}), {
    name: null,
    unicodeName: null,
    handle: null,
    status: [],
    registered: null,
    expires: null,
    updated: null,
    transferred: null,
    registrar: null,
    abuse: null,
    registrant: null,
    nameservers: [],
    dnssec: { signed: null, ds: 0 },
    registrarRdap: null,
    registrantNote: null,
    whoisServer: null,
    redacted: [],
    omitted: 0,
  });
});

test('a hostile registry cannot fill a summary: lists and texts are bounded, and the rest is counted', () => {
  const long = 'x'.repeat(100_000);
  const many = (count: number) => Array.from({ length: count }, (_, n) => `${n}${long}`);
  const entities = [
    { roles: ['registrar'], handle: long, links: [{ rel: 'about', href: `https://a.example/${long}` }] },
  ];
  const data = { status: many(60), nameservers: many(300), redacted: many(10), handle: long, port43: long, entities };
  const found = DomainSummary.parse(domainSummary(data));
  assert.deepEqual([found.status.length, found.nameservers.length, found.omitted], [50, 50, 260]);
  assert.ok(JSON.stringify(found).length < 40_000);
  assert.match(found.handle ?? '', /^x{1000}…$/);
  assert.equal(found.registrar?.url, null);
  const block = IpSummary.parse(ipSummary({ status: many(300), name: long }, ''));
  assert.deepEqual([block.status.length, block.omitted], [50, 250]);
});

test('distinguishes the time of the database from that of the registration', () => {
  const events = [{ eventAction: 'last update of RDAP database', eventDate: '2026-11-20T10:00:17Z' }];
  assert.equal(domainSummary({ events }).updated, null);
});

test('uses the first valid date of an action, in any case', () => {
  const events = [
    { eventAction: 'Registration', eventDate: 'unknown' },
    { eventAction: 'REGISTRATION', eventDate: '2001-01-01T00:00:00Z' },
    { eventAction: 'registration', eventDate: '2002-01-01T00:00:00Z' },
  ];
  assert.equal(domainSummary({ events }).registered, '2001-01-01T00:00:00Z');
});

test('reports a redacted registrant if only the redaction is present', () => {
  const redacted = [{ name: { type: 'Registrant Name' }, method: 'removal' }];
  assert.deepEqual(domainSummary({ redacted }).registrant, {
    name: null,
    organization: null,
    country: null,
    redacted: true,
  });
  assert.equal(domainSummary({ redacted: [{ name: { type: 'Tech Email' } }] }).registrant, null);
});

test('treats an empty name, a placeholder or a remark as redaction', () => {
  const redacted = (registrant: object) =>
    domainSummary({ entities: [{ roles: ['registrant'], ...registrant }] }).registrant?.redacted;
  const card = (fn: unknown) => ({ vcardArray: ['vcard', [['fn', {}, 'text', fn]]] });
  assert.equal(redacted(card('')), true);
  assert.equal(redacted(card('Redacted for Privacy Purposes')), true);
  assert.equal(redacted(card('[Data Protected]')), true);
  assert.equal(redacted({ remarks: [{ title: 'REDACTED FOR PRIVACY' }] }), true);
  assert.equal(redacted({ remarks: [{ type: 'object redacted due to authorization' }] }), true);
  assert.equal(redacted({ ...card('Redactor Ltd'), remarks: [{ title: 'Terms' }, null] }), false);
  assert.equal(redacted({}), false);
});

test('reports the abuse contact with the best reachability, at any depth', () => {
  const entity = (...properties: unknown[]) => ({ roles: ['abuse'], vcardArray: ['vcard', properties] });
  const name = (text: string) => ['fn', {}, 'text', text];
  const named = entity(name('Named'));
  const phone = entity(name('Phone'), ['tel', {}, 'text', '+1']);
  const email = entity(name('Email'), ['email', {}, 'text', 'abuse@a.example']);
  const chosen = (...entities: unknown[]) => domainSummary({ entities }).abuse?.name;
  assert.equal(chosen(named, phone, { entities: [{ entities: [email] }] }), 'Email');
  assert.equal(chosen(named, phone), 'Phone');
  assert.equal(chosen(named), 'Named');
  assert.equal(chosen({ ...email, roles: ['technical'] }), undefined);
});

test('prefers an organization to a person as the registrant of a block', () => {
  const holder = (kind: string, name: string) => ({
    roles: ['registrant'],
    vcardArray: [
      'vcard',
      [
        ['kind', {}, 'text', kind],
        ['fn', {}, 'text', name],
      ],
    ],
  });
  const held = (...entities: unknown[]) => ipSummary({ entities }, '').organization;
  assert.equal(held(holder('individual', 'A Person'), holder('org', 'An Organization')), 'An Organization');
  assert.equal(held(holder('individual', 'A Person')), 'A Person');
});

test('derives names if a registry sends U-labels or only unicodeName', () => {
  for (const data of [{ ldhName: 'Bücher.example' }, { unicodeName: 'bücher.example.' }]) {
    assert.equal(domainSummary(data).name, 'xn--bcher-kva.example');
  }
  assert.equal(domainSummary({ ldhName: 'xn--bcher-kva.example' }).unicodeName, null);
});

test('accepts strings as objects, objects as arrays and words as booleans', () => {
  const found = domainSummary({
    nameservers: ['NS1.EXAMPLE.COM.', 'ns1.example.com', { ldhName: null, unicodeName: 'ns.bücher.example' }, 7, []],
    status: 'active',
    secureDNS: [{ delegationSigned: 'TRUE' }],
    entities: { roles: 'Registrar', vcardArray: ['vcard', [['FN', null, 'text', ['A Registrar']]]] },
  });
  assert.deepEqual(found.nameservers, ['ns1.example.com', 'ns.bücher.example', '7']);
  assert.deepEqual(found.status, ['active']);
  assert.deepEqual(found.dnssec, { signed: true, ds: 0 });
  assert.equal(found.registrar?.name, 'A Registrar');
});

test('treats a delegation with DS records or keys as signed', () => {
  assert.deepEqual(domainSummary({ secureDNS: { dsData: [{}, {}] } }).dnssec, { signed: true, ds: 2 });
  assert.deepEqual(domainSummary({ secureDNS: { keyData: [{}] } }).dnssec, { signed: true, ds: 0 });
});

test('reports only an http(s) RDAP link as that of the registrar', () => {
  const link = (href: unknown, type: unknown) =>
    domainSummary({ links: [{ rel: 'related', href, type }] }).registrarRdap;
  assert.equal(link('https://rdap.example/', 'application/rdap+json; charset=utf-8'), 'https://rdap.example/');
  assert.equal(link('https://rdap.example/', 'text/html'), null);
  assert.equal(link('https://rdap.example/', null), null);
  assert.equal(link('javascript:alert(1)', 'application/rdap+json'), null);
});

test('finds the country in cc, in the seventh part of the address, or at the end of its label', () => {
  const country = (parameters: unknown, value: unknown) =>
    domainSummary({
      entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['adr', parameters, 'text', value]]] }],
    }).registrant?.country;
  const parts = (last: unknown) => ['', '', [['a', ['b']]], '', '', '', last];
  assert.equal(country({ cc: 'nl' }, parts('Nowhere')), 'NL');
  assert.equal(country({}, parts('gb')), 'GB');
  assert.equal(country({}, parts(['Czechia'])), 'CZ');
  assert.equal(country({}, parts('Ruritania')), 'Ruritania');
  assert.equal(country({ label: 'A street\nParis\nFRANCE' }, parts('')), 'FR');
  assert.equal(country({ label: 'A street\\nOslo\\nNorway' }, parts('')), 'NO');
  assert.equal(country({ label: 'A street\nOslo' }, parts('')), null);
  assert.equal(country(null, 'A street'), null);
});

test('reads ARIN: abuse contact inside the registrant, local times', () => {
  assert.deepEqual(ip('rdap.arin.net/registry/ip/8.8.8.8'), {
    handle: 'NET-8-8-8-0-2',
    name: 'GOGL',
    type: 'DIRECT ALLOCATION',
    startAddress: '8.8.8.0',
    endAddress: '8.8.8.255',
    cidrs: ['8.8.8.0/24'],
    ipVersion: 4,
    parentHandle: 'NET-8-0-0-0-0',
    country: null,
    status: ['active'],
    registered: '2023-12-28T22:24:33Z',
    updated: '2023-12-28T22:24:56Z',
    organization: 'Google LLC',
    abuse: { name: 'Abuse', email: 'network-abuse@google.example', phone: '+1-650-555-0100' },
    whoisServer: 'whois.arin.net',
    rir: 'ARIN',
    omitted: 0,
  });
  assert.deepEqual(autnum('rdap.arin.net/registry/autnum/15169'), {
    handle: 'AS15169',
    name: 'GOOGLE',
    type: null,
    startAutnum: 15169,
    endAutnum: 15169,
    country: null,
    status: ['active'],
    registered: '2000-03-30T05:00:00Z',
    updated: '2012-02-24T14:44:34Z',
    organization: 'Google LLC',
    abuse: { name: 'Abuse', email: 'network-abuse@google.example', phone: '+1-650-555-0100' },
    whoisServer: 'whois.arin.net',
    rir: 'ARIN',
    omitted: 0,
  });
});

test('reads RIPE: maintainers among the registrants, a range that is not a CIDR block', () => {
  const found = ip('rdap.db.ripe.net/ip/193.0.64.5');
  assert.equal(found.organization, 'Example Networks B.V.');
  assert.deepEqual(found.cidrs, ['193.0.64.0/19', '193.0.96.0/21', '193.0.104.0/22']);
  assert.equal(found.parentHandle, '193.0.0.0 - 193.0.255.255');
  assert.equal(found.country, 'NL');
  assert.deepEqual(found.status, []);
  assert.equal(found.rir, 'RIPE NCC');
  assert.equal(autnum('rdap.db.ripe.net/autnum/3333').organization, 'Example Networks B.V.');
});

test('reads APNIC: the response team as abuse contact, its preferred address', () => {
  const found = ip('rdap.apnic.net/ip/1.1.1.1');
  assert.deepEqual(found.abuse, { name: 'IRT-EXAMPLE-AU', email: 'abuse@example.net.au', phone: null });
  assert.equal(found.organization, 'Example Research and Development');
  assert.equal(found.rir, 'APNIC');
});

test('reads LACNIC, AFRINIC and the Brazilian registry', () => {
  const lacnic = ip('rdap.lacnic.net/rdap/ip/200.3.14.10');
  assert.equal(lacnic.country, 'UY');
  assert.equal(lacnic.name, null);
  assert.equal(lacnic.parentHandle, null);
  assert.deepEqual(lacnic.abuse, {
    name: 'Equipo de Seguridad',
    email: 'abuse@ejemplo.example',
    phone: '+598-2555-0100',
  });
  assert.equal(lacnic.rir, 'LACNIC');
  const afrinic = ip('rdap.afrinic.net/rdap/ip/196.216.2.1');
  assert.deepEqual(afrinic.cidrs, ['196.216.2.0/23']);
  assert.equal(afrinic.updated, null);
  assert.equal(afrinic.rir, 'AFRINIC');
  const brazil = ip('rdap.registro.br/ip/177.8.8.8');
  assert.equal(brazil.abuse, null);
  assert.equal(brazil.rir, 'LACNIC');
});

test('returns no regional registry for a host with a similar name', () => {
  for (const source of ['https://rdap.notarin.net/ip/1', 'https://arin.net.example/ip/1', 'nonsense', ''])
    assert.equal(ipSummary({}, source).rir, null);
});

test('returns no organization if a block has only maintainers', () => {
  const vcardArray = ['vcard', [['fn', {}, 'text', 'EX-MNT']]];
  assert.equal(
    ipSummary({ entities: [{ handle: 'EX-MNT', roles: ['registrant'], vcardArray }] }, '').organization,
    null,
  );
});

test('reads IPv6 blocks in any notation', () => {
  const found = ipSummary(
    { startAddress: '2A00:1450:0:0:0:0:0:0', endAddress: '2a00:1450:ffff:ffff:ffff:ffff:ffff:ffff', ipVersion: 'v6' },
    '',
  );
  assert.deepEqual(found.cidrs, ['2a00:1450::/32']);
  assert.equal(found.startAddress, '2a00:1450::');
  assert.equal(found.ipVersion, 6);
});

test('uses cidr0 and ipVersion if the range is missing', () => {
  const found = ipSummary(
    {
      ipVersion: 'v6',
      cidr0_cidrs: [
        { v6prefix: '2A00::', length: '12' },
        { v4prefix: '1.2.3.4', length: 24 },
        { length: 8 },
        null,
        { v4prefix: '1.0.0.0', length: 64 },
      ],
    },
    '',
  );
  assert.deepEqual(found.cidrs, ['2a00::/12', '1.2.3.0/24']);
  assert.equal(found.ipVersion, 6);
  assert.equal(ipSummary({}, '').ipVersion, null);
});

test('reads AS numbers in strings', () => {
  const { startAutnum, endAutnum } = autnumSummary({ startAutnum: '65546', endAutnum: null }, '');
  assert.deepEqual([startAutnum, endAutnum], [65546, null]);
});

const cidrs = (start: string, end: string) => {
  const first = parseAddress(start);
  const last = parseAddress(end);
  assert.ok(first !== null && last !== null);
  return cidrsOf(first, last);
};

test('splits a range into the fewest blocks', () => {
  assert.deepEqual(cidrs('13.64.0.0', '13.107.255.255'), ['13.64.0.0/11', '13.96.0.0/13', '13.104.0.0/14']);
  assert.deepEqual(cidrs('0.0.0.0', '255.255.255.255'), ['0.0.0.0/0']);
  assert.deepEqual(cidrs('::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'), ['::/0']);
  assert.deepEqual(cidrs('1.2.3.4', '1.2.3.4'), ['1.2.3.4/32']);
  assert.deepEqual(cidrs('1.2.3.5', '1.2.3.4'), []);
  assert.deepEqual(cidrs('1.2.3.4', '2001:db8::'), []);
});

test('covers the whole range without gaps, even the most irregular one', () => {
  for (const [start, end, count] of [
    ['0.0.0.1', '255.255.255.254', 62],
    ['::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe', 254],
  ] as const) {
    const blocks = cidrs(start, end).map((text) => parsePrefix(text));
    assert.equal(blocks.length, count);
    let next = parseAddress(start)?.bits ?? 0n;
    for (const block of blocks) {
      assert.ok(block !== null);
      assert.equal(block.first.bits, next);
      next += 1n << BigInt((block.first.version === 4 ? 32 : 128) - block.length);
    }
    assert.equal(next - 1n, parseAddress(end)?.bits);
  }
});
