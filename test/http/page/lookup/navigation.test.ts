/** One field leads to the right lookup, results lead on, and a report runs nothing for a page of another site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateName } from '../../../../src/core/limits.ts';
import { createApp } from '../../../../src/http/app.ts';
import { renderDns } from '../../../../src/http/page/lookup/dns.ts';
import { renderIp } from '../../../../src/http/page/lookup/ip.ts';
import {
  formOf,
  linkAddress,
  linkDomain,
  linkHost,
  linkNetwork,
  lookupSection,
  recognize,
  renderForm,
} from '../../../../src/http/page/lookup/navigation.ts';
import { recordLookup } from '../../../../src/lookups/list.ts';
import { seenAll } from '../../../observed.ts';
import { decisionOf, platformOf } from '../../../platform.ts';
import { noBody } from '../../../request-context.ts';
import { hostileDns, hostileIp, stranger } from './hostile.ts';

test('recognizes a domain, a URL, an IP address, a CIDR block and an AS number', () => {
  for (const [typed, path] of [
    [' example.com ', '/lookup/domain?name=example.com'],
    ['bücher.example', '/lookup/domain?name=xn--bcher-kva.example'],
    ['me@example.com', '/lookup/domain?name=example.com'],
    ['mailto:me@example.com', '/lookup/domain?name=example.com'],
    ['com', '/lookup/rdap?q=com'],
    ['_dmarc.example.com', '/lookup/dns?name=_dmarc.example.com&type=TXT'],
    ['_dmarc.com', '/lookup/dns?name=_dmarc.com&type=TXT'],
    ['s1._domainkey.example.com', '/lookup/dns?name=s1._domainkey.example.com&type=TXT'],
    ['_sip._tcp.example.com', '/lookup/dns?name=_sip._tcp.example.com&type=SRV'],
    ['_443._tcp.www.example.com', '/lookup/dns?name=_443._tcp.www.example.com&type=TLSA'],
    ['5.0/25.2.0.192.in-addr.arpa', '/lookup/dns?name=5.0%2F25.2.0.192.in-addr.arpa&type=PTR'],
    ['[2606:4700::1111]', '/lookup/ip?q=2606%3A4700%3A%3A1111'],
    ['[2001:db8::]/32', '/lookup/rdap?q=2001%3Adb8%3A%3A%2F32'],
    ['example.com:443', '/lookup/headers?url=https%3A%2F%2Fexample.com%2F'],
    ['https://example.com/a?b', '/lookup/headers?url=https%3A%2F%2Fexample.com%2Fa%3Fb'],
    ['example.com/a', '/lookup/headers?url=https%3A%2F%2Fexample.com%2Fa'],
    ['mail.example.com:993', '/lookup/certificate?q=mail.example.com%3A993'],
    ['8.8.8.8', '/lookup/ip?q=8.8.8.8'],
    ['2606:4700::1111', '/lookup/ip?q=2606%3A4700%3A%3A1111'],
    ['8.8.8.0/24', '/lookup/rdap?q=8.8.8.0%2F24'],
    ['2001:db8::/32', '/lookup/rdap?q=2001%3Adb8%3A%3A%2F32'],
    ['AS15169', '/lookup/rdap?q=AS15169'],
    ['as 15169', '/lookup/rdap?q=as+15169'],
    ['15169', '/lookup/rdap?q=15169'],
    // Copied with what surrounds it, or with a mistyped scheme.
    ['Example <someone@example.com>', '/lookup/domain?name=example.com'],
    ['<https://example.com/a>', '/lookup/headers?url=https%3A%2F%2Fexample.com%2Fa'],
    ['"example.com"', '/lookup/domain?name=example.com'],
    ['(example.com)', '/lookup/domain?name=example.com'],
    ['example.com,', '/lookup/domain?name=example.com'],
    ['8.8.8.8.', '/lookup/ip?q=8.8.8.8'],
    ['https:/example.com', '/lookup/headers?url=https%3A%2F%2Fexample.com'],
    ['http//example.com/a', '/lookup/headers?url=http%3A%2F%2Fexample.com%2Fa'],
    ['https://example.com/a_(b)', '/lookup/headers?url=https%3A%2F%2Fexample.com%2Fa_%28b%29'],
    ['https://example.com/a,', '/lookup/headers?url=https%3A%2F%2Fexample.com%2Fa%2C'],
  ] as const)
    assert.equal(recognize(typed), path, typed.slice(0, 50));
});

test('states what is wrong with anything else, instead of grading it as a site', () => {
  for (const [typed, message] of [
    ['8.8.8.8:53', /^This has a port; send only a name or an address: try 8\.8\.8\.8\.$/],
    ['999.1.1.1', /four decimal numbers from 0 to 255/],
    ['999.1.1.1/24', /four decimal numbers from 0 to 255/],
    ['8.8.8.8/99', /prefix length from 0 to 32/],
    ['*.example.com', /^This is a wildcard; .* try example\.com\.$/],
    ['[2001:db8::1]:443', /has a port/],
    ['example.com:8443', /^Port 8443 is not allowed/],
    ['router.local/admin', /private or reserved/],
    ['what is this', /without spaces/],
    ['example,com', /^A domain name contains no ","/],
    ['javascript:alert(1)', /^A domain name contains no/],
    ['//other.example', /is a URL/],
    ['a'.repeat(5000), /too long/],
  ] as const)
    assert.throws(() => recognize(typed), { name: 'Error', message }, typed.slice(0, 50));
});

async function visit(path: string, query: string, headers: Readonly<Record<string, string>> = {}) {
  const app = createApp({ publicUrl: null, contact: null });
  const observed = { ...seenAll, path, query, headers: { accept: 'text/html', ...headers } };
  const { status, headers: sent, body } = await app(observed, platformOf(), noBody);
  return { status, location: sent.Location, body: `${body}` };
}

test('the field redirects to a page of this service, and explains what it does not recognize', async () => {
  assert.deepEqual(await visit('/lookup', 'q=8.8.8.8'), { status: 303, location: '/lookup/ip?q=8.8.8.8', body: '' });
  const { status, body } = await visit('/lookup', 'q=%3Cb%3E+x');
  assert.equal(status, 400);
  assert.match(body, /<title>Error: Lookups · Seenby<\/title>/);
  assert.match(body, /<div class="problem" id="search-problem"><p><bdi>Send one name or address, without spaces/);
  assert.match(
    body,
    /<input id="search" name="q" value="&lt;b&gt; x" aria-invalid="true" aria-describedby="search-problem" autofocus/,
  );
  const empty = await visit('/lookup', '');
  assert.equal(empty.status, 200);
  assert.doesNotMatch(empty.body, /class="problem"|aria-invalid|autofocus/);
});

test('a page names a lookup as pages do, not as programs do', async () => {
  const { body } = await visit('/lookup/dns', 'name=8.8.8.8&type=A', { 'sec-fetch-site': 'none' });
  assert.match(body, /use type PTR for its host name, or use the registration lookup for its registration\./);
  assert.doesNotMatch(body, /rdap_lookup/);
});

test('a report is refused before it begins if too few lookups or requests are left, with the time', async () => {
  const visitWith = async (remaining: number | null, rateLimitLookup = 10, requests: number | null = 59) => {
    const app = createApp({ publicUrl: null, contact: null, rateLimitLookup });
    const headers = { accept: 'text/html', 'sec-fetch-site': 'none' };
    const observed = { ...seenAll, path: '/lookup/domain', query: 'name=example.com', headers };
    const left = (rate: RateName) =>
      rate === 'general'
        ? { isAllowed: true, remaining: requests, resetSeconds: 5 }
        : { isAllowed: true, remaining, resetSeconds: 42 };
    const { status, body } = await app(observed, platformOf({ left }), noBody);
    return { status, body: `${body}` };
  };
  const refused = await visitWith(4);
  assert.equal(refused.status, 429);
  assert.match(refused.body, /A report needs 5 lookups, and this IP has 4 left; try again in 42 seconds\./);
  assert.doesNotMatch(refused.body, /data-load="/);
  const { body } = await visitWith(10, 10, 4);
  assert.match(body, /A report needs 5 requests, and this IP has 4 left; try again in 5 seconds\./);
  for (const [remaining, limit] of [
    [5, 10],
    [null, 10],
    // A limit below a report's lookups: as much of it as there is.
    [3, 3],
  ] as const)
    assert.equal((await visitWith(remaining, limit)).status, 200);
  assert.equal((await visitWith(5, 10, 5)).status, 200);
  assert.equal((await visitWith(5, 10, null)).status, 200);
});

test('without databases of IP addresses and certificates, pages redirect from their lookups, which count as no lookup, and a report has fewer', async () => {
  const app = createApp({ publicUrl: null, contact: null, hasAddressData: false, readsCertificates: false });
  for (const [path, query, location] of [
    ['/lookup', 'q=8.8.8.8', '/lookup/rdap?q=8.8.8.8'],
    ['/lookup/ip', 'q=8.8.8.8', '/lookup/rdap?q=8.8.8.8'],
    ['/lookup/ip', '', '/lookup/rdap'],
    ['/lookup/domain', 'name=8.8.8.8', '/lookup/rdap?q=8.8.8.8'],
    ['/lookup/domain/address', 'name=example.com', '/lookup/domain?name=example.com'],
    ['/lookup/domain', 'name=example.com', undefined],
  ] as const) {
    const counted: RateName[] = [];
    const platform = platformOf({
      limit: (names) => {
        counted.push(...names);
        return decisionOf(true);
      },
      left: () => ({ isAllowed: true, remaining: 3, resetSeconds: 42 }),
      addressData: null,
    });
    const headers = { accept: 'text/html', 'sec-fetch-site': 'none' };
    const { status, headers: sent } = await app({ ...seenAll, path, query, headers }, platform, noBody);
    assert.deepEqual([status, sent.Location], [location === undefined ? 200 : 303, location], path + query);
    assert.deepEqual(counted, ['general']);
  }
});

test('a report that a browser loads before it shows it is requested again', async () => {
  const headers = { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' };
  const { status, body } = await visit('/lookup/domain', 'name=example.com', headers);
  assert.equal(status, 503);
  assert.match(body, /<a href="\/docs#error-not_shown">/);
  assert.equal((await visit('/lookup/domain', '', headers)).status, 200);
  const restored = await visit('/lookup/domain', 'name=example.com&shown=1', headers);
  assert.match(restored.body, /data-load="/);
});

test('the form states how many lookups are left, if that is known', () => {
  const leftIn = (left: number | null) => {
    const form = `${renderForm(formOf(recordLookup), new URLSearchParams(), { left })}`;
    const [, attribute, text] = /<span class="small left"([^>]*)>(.*?)<\/span>/.exec(form) ?? [];
    return [attribute, text];
  };
  assert.deepEqual(leftIn(0), [' data-left="0"', 'No more lookups this minute']);
  assert.deepEqual(leftIn(1), [' data-left="1"', '1 more lookup this minute']);
  assert.deepEqual(leftIn(2), [' data-left="2"', '2 more lookups this minute']);
  assert.deepEqual(leftIn(null), ['', '']);
});

test('a report loads its parts only if the visitor requested it, and says before what it counts as', async () => {
  const cost = /A report counts as 5 lookups, of 10 per 60 seconds\./;
  const parts = [
    '/lookup/rdap?q=example.com',
    '/lookup/domain/dns?name=example.com',
    '/lookup/headers?url=https%3A%2F%2Fexample.com%2F',
    '/lookup/domain/address?name=example.com',
    '/lookup/certificate?q=example.com',
  ];
  const own = await visit('/lookup/domain', 'name=example.com', { 'sec-fetch-site': 'same-origin' });
  assert.deepEqual(
    [...own.body.matchAll(/data-load="([^"]+)"><h2>[^<]+<\/h2><div class="result"><p><a href="([^"]+)"/g)].map(
      ([, load]) => load,
    ),
    parts,
  );
  // The same name in another form, as the heading states it.
  for (const site of ['same-origin', 'cross-site']) {
    const { body } = await visit('/lookup/domain', 'name=Example.com.', { 'sec-fetch-site': site });
    const links = [...body.matchAll(/<div class="result"><p><a href="([^"]+)"/g)].map(([, link]) => link);
    assert.deepEqual(links, parts, site);
  }
  const foreign = await visit('/lookup/domain', 'name=%3Cb%3E', { 'sec-fetch-site': 'cross-site' });
  assert.doesNotMatch(foreign.body, /data-load=|<b>/);
  assert.match(foreign.body, /Nothing is sent until you press the button or a link\./);
  const unknown = await visit('/lookup/domain', 'name=example.com');
  assert.doesNotMatch(unknown.body, /data-load=|Nothing is sent/);
  assert.match(unknown.body, /Nothing was looked up\..* whether you pressed Create report\./s);
  const wrong = await visit('/lookup/domain', 'name=%3Cb%3E', { 'sec-fetch-site': 'same-origin' });
  assert.equal(wrong.status, 400);
  assert.match(wrong.body, /aria-invalid="true" aria-describedby="lookup-domain-problem" autofocus/);
  assert.doesNotMatch(wrong.body, /data-load=|<b>/);
  const empty = await visit('/lookup/domain', '');
  assert.doesNotMatch(empty.body, /class="card loaded"|Nothing is sent/);
  for (const { body } of [own, foreign, empty]) assert.match(body, cost);
});

test('the report of an IP address is its lookup, and those of a wildcard, of the root and of a number are errors', async () => {
  for (const name of ['8.8.8.8', '[2001:db8::1]', ' 8.8.8.8 ']) {
    const { status, location } = await visit('/lookup/domain', `${new URLSearchParams({ name })}`);
    assert.deepEqual([status, location], [303, recognize(name)]);
  }
  for (const [name, problem] of [
    ['*.example.com', /name is a wildcard; use one name: try example\.com\./],
    ['.', /name is the root zone; use a domain name/],
    ['1.2.3', /name ends in a number; use a domain name/],
    ['example.0x7f', /name ends in a number/],
  ] as const) {
    const { status, body } = await visit('/lookup/domain', `name=${name}`, { 'sec-fetch-site': 'same-origin' });
    assert.equal(status, 400);
    assert.match(body, problem);
  }
});

test('links addresses, networks, hosts and domains, and nothing that no lookup accepts', () => {
  assert.equal(`${linkAddress('8.8.8.8')}`, '<a href="/lookup/ip?q=8.8.8.8"><bdi>8.8.8.8</bdi></a>');
  assert.match(`${linkAddress('2606:4700::1111')}`, /><bdi>2606:<\/bdi><wbr><bdi>4700::<\/bdi><wbr><bdi>1111</);
  assert.equal(`${linkNetwork('8.8.8.0/24')}`, '<a href="/lookup/rdap?q=8.8.8.0%2F24"><bdi>8.8.8.0/24</bdi></a>');
  assert.equal(
    `${linkHost('ns.example.com')}`,
    '<a href="/lookup/dns?name=ns.example.com"><bdi>ns.example.com</bdi></a>',
  );
  for (const render of [linkAddress, linkNetwork, linkHost, linkDomain])
    for (const text of ['10.0.0.1 ', '"><script>', 'a b', '', `${'a'.repeat(300)}.example`, 'javascript:alert(1)'])
      assert.doesNotMatch(`${render(text)}`, /<a |<script/, text);
});

test('links the records of a DNS lookup by their type', () => {
  const answer = { ...hostileDns(), records: [], cnameChain: ['alias.example.com', 'hostile"alias'] };
  assert.match(`${renderDns(answer).content}`, /href="\/lookup\/dns\?name=alias\.example\.com"/);
  for (const [type, data, href] of [
    ['A', '8.8.8.8', '/lookup/ip?q=8.8.8.8'],
    ['NS', 'ns.example.net', '/lookup/dns?name=ns.example.net'],
  ] as const) {
    const record = { ...hostileDns().records[0], type, data, txt: null } as ReturnType<
      typeof hostileDns
    >['records'][number];
    assert.ok(`${renderDns({ ...answer, type, records: [record] }).content}`.includes(`href="${href}"`), type);
  }
});

test('the summary of a DNS lookup counts records only if all are known', () => {
  const answer = { ...hostileDns(), name: 'a.example', type: 'A' as const, records: [] };
  for (const [status, exists, summary] of [
    ['NOERROR', true, '0 A records of a.example'],
    ['NXDOMAIN', false, '0 A records of a.example, NXDOMAIN'],
    ['SERVFAIL', null, 'A records of a.example: SERVFAIL'],
    // The resolver blocks the name.
    ['NOERROR', null, 'A records of a.example: not known'],
    ['NXDOMAIN', null, 'A records of a.example: not known'],
  ] as const)
    assert.equal(renderDns({ ...answer, status, exists }).summary, summary);
});

test('an address on the visitor’s network is marked, and has a map', () => {
  const lookup = { ...hostileIp(), ip: '8.8.8.8', asn: 15_169 };
  const own = `${renderIp(lookup, { nowMs: 0, asn: 15_169 }).content}`;
  assert.match(own, /same network as you/);
  assert.match(own, /<figure class="map">/);
  assert.match(own, /href="\/lookup\/rdap\?q=8\.8\.8\.8">Registration of this network/);
  assert.doesNotMatch(`${renderIp(lookup, stranger).content}`, /same network as you/);
});

test('the first lookup is selected before the script runs', () => {
  const section = `${lookupSection({ baseUrl: 'https://seenby.test', deployment: { publicUrl: null, contact: null } })}`;
  const valuesOf = (pattern: RegExp) => [...section.matchAll(pattern)].map(([, value]) => value);
  const [first, ...others] = valuesOf(/aria-selected="(.*?)"/g);
  assert.deepEqual([first, new Set(others)], ['true', new Set(['false'])]);
  const [selected, ...hidden] = valuesOf(/class="card tool(.*?)" role="tabpanel"/g);
  assert.deepEqual([selected, new Set(hidden)], [' selected', new Set([''])]);
});
