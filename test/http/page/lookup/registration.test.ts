/** The rows of a registration of numbers: addresses, blocks and AS numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRegistration } from '../../../../src/http/page/lookup/registration.ts';
import type { RdapResult } from '../../../../src/lookups/rdap/schema.ts';
import { summarize } from '../../../../src/lookups/rdap/summary.ts';

/** The text of the page, with one space between its parts. */
function textOf(kind: RdapResult['kind'], query: string, data: Parameters<typeof summarize>[1]): string {
  const source =
    kind === 'ip' ? 'https://rdap.db.ripe.net/ip/192.0.2.0' : 'https://rdap.arin.net/registry/autnum/64496';
  const result = {
    query,
    kind,
    source,
    bootstrapUpdated: null,
    data,
    summary: summarize(kind, data, source),
  } as RdapResult;
  const rendered = renderRegistration(result, { nowMs: 0 } as Parameters<typeof renderRegistration>[1]);
  return Object.values(rendered)
    .map((part) => `${part}`.replace(/<[^>]+>/g, ' '))
    .join(' ')
    .replace(/\s+/g, ' ');
}

const block = {
  objectClassName: 'ip network',
  startAddress: '192.0.2.0',
  endAddress: '192.0.2.255',
  handle: 'NET-192-0-2-0-1',
  parentHandle: 'NET-192-0-0-0-0',
  name: 'TEST-NET-1',
  country: 'NO',
  type: 'ASSIGNED PA',
  port43: 'whois.ripe.net',
};

test('shows the range of a block, its registry and its parent', () => {
  const text = textOf('ip', '192.0.2.0/24', block);
  assert.match(text, / Range 192\.0\.2\.0 – 192\.0\.2\.255 /);
  assert.match(text, / Country NO /);
  assert.match(text, / Type ASSIGNED PA /);
  assert.match(text, / Handle NET-192-0-2-0-1 /);
  assert.match(text, / Registry RIPE(?: NCC)? /);
  assert.match(text, / Parent network NET-192-0-0-0-0 /);
  const single = textOf('ip', '192.0.2.1', { ...block, endAddress: '192.0.2.0' });
  assert.match(single, / Range 192\.0\.2\.0 /);
  assert.doesNotMatch(single, /192\.0\.2\.0 – /);
  const { endAddress: _, ...open } = block;
  assert.doesNotMatch(textOf('ip', '192.0.2.0/24', open), / Range /);
});

test('shows one AS number, or the range of a block of them', () => {
  const numbers = { objectClassName: 'autnum', handle: 'AS64496', name: 'EXAMPLE', port43: 'whois.arin.net' };
  const range = textOf('autnum', 'AS64496', { ...numbers, startAutnum: 64496, endAutnum: 64500 });
  assert.match(range, /AS64496 – AS64500/);
  assert.match(range, / Registry ARIN /);
  assert.doesNotMatch(range, / Range | Parent network /);
  const one = textOf('autnum', 'AS64496', { ...numbers, startAutnum: 64496, endAutnum: 64496 });
  assert.match(one, /AS64496/);
  assert.doesNotMatch(one, / – /);
});

test('lists 50 blocks of a range, and counts the others', () => {
  const startAddress = '8.0.0.1';
  // Twice as many blocks as the range has bits besides the last one.
  const fifty = textOf('ip', startAddress, { ...block, startAddress, endAddress: '11.255.255.254' });
  assert.match(fifty, / 11\.255\.255\.254\/32 /);
  assert.doesNotMatch(fifty, / more /);
  assert.match(fifty, / 8\.0\.0\.1\/32 , 8\.0\.0\.2\/31 , /);
  const others = textOf('ip', startAddress, { ...block, startAddress, endAddress: '15.255.255.254' });
  assert.doesNotMatch(others, / 15\.255\.255\.254\/32 /);
  assert.match(others, / and 2 more /);
});

test('the line about a registration states the end of its term, else its beginning', () => {
  const briefOf = (events: readonly object[]): readonly string[] | undefined => {
    const data = { objectClassName: 'domain', ldhName: 'a.example', events } as Parameters<typeof summarize>[1];
    const summary = summarize('domain', data, '');
    const result = {
      query: 'a.example',
      kind: 'domain',
      source: 'https://rdap.example/',
      bootstrapUpdated: null,
      data,
      summary,
    };
    return renderRegistration(
      result as unknown as RdapResult,
      { nowMs: Date.parse('2026-11-22T12:00:00Z') } as Parameters<typeof renderRegistration>[1],
    ).brief;
  };
  const registered = { eventAction: 'registration', eventDate: '2024-11-01T00:00:00Z' };
  const endsAt = (eventDate: string) => ({ eventAction: 'expiration', eventDate });
  assert.deepEqual(briefOf([]), ['Registered']);
  assert.deepEqual(briefOf([registered]), ['Registered 2 years ago']);
  assert.deepEqual(briefOf([registered, endsAt('2026-12-01T12:00:00Z')]), ['Expires in 9 days']);
  assert.deepEqual(briefOf([registered, endsAt('2026-11-21T11:00:00Z')]), ['Expired yesterday']);
});

test('shows the registrant, and where its record may be if the registry does not publish it', () => {
  const domain = { objectClassName: 'domain', ldhName: 'a.example' };
  const registrant = (name: string) => ({
    objectClassName: 'entity',
    roles: ['registrant'],
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', name],
      ],
    ],
  });
  const own = textOf('domain', 'a.example', { ...domain, entities: [registrant('Ada Example')] });
  assert.match(own, / Registrant Ada Example /);
  assert.doesNotMatch(own, /not published/);
  assert.doesNotMatch(textOf('domain', 'a.example', domain), / Registrant /);
  const onlyHandle = { objectClassName: 'entity', roles: ['registrant'], handle: 'X-1' };
  assert.doesNotMatch(textOf('domain', 'a.example', { ...domain, entities: [onlyHandle] }), / Registrant /);
  const redacted = { ...onlyHandle, remarks: [{ title: 'REDACTED FOR PRIVACY' }] };
  assert.match(
    textOf('domain', 'a.example', { ...domain, entities: [redacted] }),
    / Registrant withheld by the registry /,
  );
  const related = { href: 'https://registrar.example/rdap/', rel: 'related', type: 'application/rdap+json' };
  const elsewhere = textOf('domain', 'a.example', { ...domain, links: [related] });
  assert.match(
    elsewhere,
    / Registrant The registry does not publish the registrant\. The registrar&#39;s RDAP server may: \S*registrar\.example\/rdap/,
  );
  assert.doesNotMatch(elsewhere, / Registrar RDAP /);
  const both = textOf('domain', 'a.example', { ...domain, links: [related], entities: [registrant('Ada Example')] });
  assert.match(both, / Registrant Ada Example Registrar RDAP \S*registrar\.example/);
});

test('shows the name of a registrar, its URL, or both', () => {
  const registrarText = (registrar: { readonly name: string | null; readonly url: string | null }): string => {
    const summary = { ...summarize('domain', { objectClassName: 'domain', ldhName: 'a.example' }, ''), registrar };
    const result = {
      query: 'a.example',
      kind: 'domain',
      source: 'https://rdap.example/',
      bootstrapUpdated: null,
      data: {},
      summary,
    };
    const rendered = renderRegistration(
      result as unknown as RdapResult,
      { nowMs: 0 } as Parameters<typeof renderRegistration>[1],
    );
    return Object.values(rendered)
      .join(' ')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
  };
  assert.match(registrarText({ name: 'Example Registrar', url: null }), / Registrar Example Registrar /);
  assert.match(
    registrarText({ name: 'Example Registrar', url: 'https://registrar.example/' }),
    / Registrar Example Registrar \S*registrar\.example/,
  );
  assert.match(registrarText({ name: null, url: 'https://registrar.example/' }), / Registrar \S*registrar\.example/);
});

test('names no number of DS records that the registry does not state', () => {
  const textWith = (secureDNS: object) =>
    textOf('domain', 'example.com', { objectClassName: 'domain', ldhName: 'example.com', secureDNS });
  assert.match(textWith({ delegationSigned: true, dsData: [{}] }), / DNSSEC signed, 1 DS record /);
  assert.match(textWith({ delegationSigned: true }), / DNSSEC signed [^,]/);
});
