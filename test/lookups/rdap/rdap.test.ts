/** A lookup queries the registry that IANA lists and reports why it failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../../src/core/errors.ts';
import type {
  BootstrapFile,
  OutboundFailure,
  OutboundRequest,
  OutboundResult,
  Platform,
} from '../../../src/core/platform.ts';
import { rdap } from '../../../src/lookups/rdap/rdap.ts';
import { RdapResult } from '../../../src/lookups/rdap/schema.ts';
import { files, fixture, registries, respondWith, serve } from './fixtures.ts';

const userAgent = 'Seenby/1.0 (+https://seenby.example/docs)';
const example = 'rdap.verisign.com/com/v1/domain/example.com';

const rejection = async (lookup: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> => {
  try {
    await lookup;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return { code: error.code, message: error.message };
  }
  return assert.fail('expected a failure');
};

/** The failure of a lookup of example.com with this registry response. */
const failure = async (respond: (request: OutboundRequest) => OutboundResult, q = 'example.com') => {
  const { platform, requests } = registries(respond);
  return { ...(await rejection(rdap(q, platform, userAgent))), requests: requests.map(({ url }) => url) };
};

const queries = {
  'WWW.Example.com ': example,
  'example.org': 'rdap.publicinterestregistry.org/rdap/domain/example.org',
  'shop.example.co.uk': 'rdap.nominet.uk/uk/domain/example.co.uk',
  'example.fr': 'rdap.nic.fr/domain/example.fr',
  'bücher.vermögensberatung': 'rdap.identitydigital.services/rdap/domain/xn--bcher-kva.xn--vermgensberatung-pwb',
  'example.cz': 'rdap.nic.cz/domain/example.cz',
  '8.8.8.8': 'rdap.arin.net/registry/ip/8.8.8.8',
  '8.8.8.77/24': 'rdap.arin.net/registry/ip/8.8.8.0/24',
  '::ffff:8.8.8.8': 'rdap.arin.net/registry/ip/8.8.8.8',
  '193.0.64.5': 'rdap.db.ripe.net/ip/193.0.64.5',
  '1.1.1.1': 'rdap.apnic.net/ip/1.1.1.1',
  '200.3.14.10': 'rdap.lacnic.net/rdap/ip/200.3.14.10',
  '196.216.2.1': 'rdap.afrinic.net/rdap/ip/196.216.2.1',
  AS15169: 'rdap.arin.net/registry/autnum/15169',
  3333: 'rdap.db.ripe.net/autnum/3333',
};

for (const [q, path] of Object.entries(queries)) {
  test(`looks up ${q.trim()} at ${path}`, async () => {
    const { platform, requests } = registries();
    const result = await rdap(q, platform, userAgent);
    assert.deepEqual(RdapResult.strict().parse(result), result);
    assert.deepEqual(result.data, fixture(path));
    assert.equal(result.source, `https://${path}`);
    assert.equal(result.query, q.trim());
    assert.equal(result.kind, path.includes('/domain/') ? 'domain' : path.includes('/ip/') ? 'ip' : 'autnum');
    assert.equal(requests.length, 1);
  });
}

test('queries an http server if there is no other', async () => {
  const { source } = await rdap('example.kg', registries().platform, userAgent);
  assert.equal(source, 'http://rdap.cctld.kg/domain/example.kg');
});

test('sends Accept, Accept-Encoding and User-Agent, and nothing else', async () => {
  const { platform, requests } = registries();
  await rdap('example.com', platform, userAgent);
  assert.deepEqual(requests, [
    {
      method: 'GET',
      url: `https://${example}`,
      headers: {
        Accept: 'application/rdap+json, application/json;q=0.8',
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
      },
      body: null,
      timeoutMs: 5000,
      maxBodyBytes: 1_048_576,
    },
  ]);
});

test('returns the publication time of the server list', async () => {
  const published = async (q: string) => (await rdap(q, registries().platform, userAgent)).bootstrapUpdated;
  assert.equal(await published('example.com'), files.dns.publication);
  assert.equal(await published('8.8.8.8'), files.ipv4.publication);
  assert.equal(await published('AS15169'), files.asn.publication);
});

test('never follows related links', async () => {
  const { platform, requests } = registries();
  await rdap('example.org', platform, userAgent);
  assert.deepEqual(
    requests.map(({ url }) => new URL(url).host),
    ['rdap.publicinterestregistry.org'],
  );
});

test('rejects an empty query', async () => {
  const { platform, requests } = registries();
  assert.equal((await rejection(rdap('', platform, userAgent))).code, 'invalid_query');
  assert.deepEqual(requests, []);
});

test('reports if no registry lists the query', async () => {
  for (const q of ['example.de', '0.0.0.0/0', 'AS400000000']) {
    const { code, requests } = await failure(serve, q);
    assert.equal(code, 'no_rdap_service', q);
    assert.deepEqual(requests, []);
  }
});

test("reports if IANA's list is unavailable", async () => {
  for (const [reason, expected] of [
    ['unavailable', 'upstream_error'],
    ['timeout', 'upstream_timeout'],
    ['overloaded', 'overloaded'],
  ] as const) {
    const { platform } = registries(serve, { bootstrapFile: async () => ({ failure: reason }) });
    const { code, message } = await rejection(rdap('example.com', platform, userAgent));
    assert.equal(code, expected);
    if (reason !== 'overloaded') assert.match(message, /IANA/);
  }
});

test('names the block of a reverse zone, and sends nobody to a service that no tool has', async () => {
  for (const [q, block] of [
    ['8.8.8.in-addr.arpa', '8.8.8.0/24'],
    ['4.3.2.1.in-addr.arpa', '1.2.3.4'],
    ['8.in-addr.arpa', '8.0.0.0/8'],
    ['8.b.d.0.1.0.0.2.ip6.arpa', '2001:db8::/32'],
    [`${'0.'.repeat(28)}1.0.0.2.ip6.arpa`, '2001::'],
  ] as const) {
    const { code, message } = await failure(serve, q);
    assert.equal(code, 'no_rdap_service');
    assert.ok(message.endsWith(`try ${block}.`), message);
  }
  for (const q of ['in-addr.arpa', '256.8.8.in-addr.arpa', 'x.ip6.arpa', 'a.example.in-addr.arpa', 'example.de'])
    assert.doesNotMatch((await failure(serve, q)).message, /reverse DNS|WHOIS/);
});

test('accepts the record of a variant of the name (RFC 9083 §5.3)', async () => {
  const record = {
    objectClassName: 'domain',
    ldhName: 'xn--fo-5ja.example.com',
    variants: [
      { relation: ['registered'], variantNames: [{ ldhName: 'OTHER.com' }, { unicodeName: 'bücher.com' }] },
      { variantNames: [{ ldhName: 'Example.com' }] },
    ],
  };
  for (const q of ['example.com', 'other.com', 'bücher.com'])
    assert.equal((await rdap(q, registries(() => respondWith(200, record)).platform, userAgent)).kind, 'domain');
  assert.equal((await failure(() => respondWith(200, record), 'another.com')).code, 'upstream_error');
});

test('decodes the charset that a response states', async () => {
  const record = { objectClassName: 'domain', ldhName: 'example.com', handle: 'café' };
  const inCharset = (charset: string, encoding: BufferEncoding): OutboundResult => ({
    status: 200,
    headers: { 'content-type': `application/rdap+json; charset=${charset}` },
    setCookies: [],
    body: Buffer.from(JSON.stringify(record), encoding),
  });
  for (const [charset, encoding] of [
    ['utf-8', 'utf8'],
    ['"UTF-8"', 'utf8'],
    ['ISO-8859-1', 'latin1'],
    ['windows-1252', 'latin1'],
    ['utf-16le', 'utf16le'],
  ] as const) {
    const { summary } = await rdap('example.com', registries(() => inCharset(charset, encoding)).platform, userAgent);
    assert.equal('handle' in summary && summary.handle, 'café', charset);
  }
  const { code, message } = await failure(() => inCharset('x-unknown', 'utf8'));
  assert.deepEqual([code, /unknown charset/.test(message)], ['upstream_error', true]);
});

const statuses: readonly (readonly [number, ErrorCode])[] = [
  [404, 'not_found'],
  [429, 'upstream_rate_limited'],
  [400, 'upstream_error'],
  [401, 'upstream_error'],
  [403, 'upstream_error'],
  [410, 'upstream_error'],
  [500, 'upstream_error'],
  [501, 'upstream_error'],
  [503, 'upstream_error'],
  [304, 'upstream_error'],
  [300, 'upstream_error'],
  [204, 'upstream_error'],
];
for (const [status, code] of statuses) {
  test(`maps status ${status} to ${code}`, async () => {
    for (const body of ['', '<html>secret</html>', { lang: 'secret', example: ['secret'] }]) {
      const found = await failure(() => respondWith(status, body));
      assert.equal(found.code, code);
      assert.doesNotMatch(found.message, /secret|example/);
    }
  });
}

test('reports that the registry has no record, not that a path is wrong', async () => {
  assert.equal(
    (await failure(() => respondWith(404))).message,
    'The registry has no record of this object; check the spelling, or it may not be registered.',
  );
  assert.equal(
    (await failure(() => respondWith(404), 'WWW.bücher.com')).message,
    'The registry has no record of xn--bcher-kva.com, which was queried for www.xn--bcher-kva.com; check the spelling, or it may not be registered.',
  );
});

test('suggests to try again only if that may help, and when if the registry states it', async () => {
  const messageOf = async (status: number, retryAfter?: string) =>
    (await failure(() => respondWith(status, '', retryAfter === undefined ? {} : { 'retry-after': retryAfter })))
      .message;
  for (const status of [400, 401, 403, 501])
    assert.equal(
      await messageOf(status),
      `The registry rejected the query (status ${status}); its website may offer a lookup.`,
    );
  for (const status of [304, 500, 503]) assert.match(await messageOf(status), /; try again later\.$/);
  for (const [retryAfter, when] of [
    ['30', 'in 30 seconds'],
    ['1', 'in 1 second'],
    [undefined, 'later'],
    ['0', 'later'],
    ['Sat, 28 Nov 2026 12:00:00 GMT', 'later'],
    ['30 secrets', 'later'],
  ] as const)
    assert.equal(
      await messageOf(429, retryAfter),
      `The registry limits the requests of this service; try again ${when}.`,
    );
});

const failures: Readonly<Record<OutboundFailure, readonly [ErrorCode, RegExp]>> = {
  blocked: ['upstream_error', /private or reserved/],
  own: ['upstream_error', /this service/],
  unresolved: ['upstream_error', /no address/],
  dns_failed: ['upstream_error', /query for the addresses .* failed/],
  unreachable: ['upstream_error', /unreachable/],
  malformed: ['upstream_error', /not valid HTTP/],
  certificate: ['upstream_error', /certificate/],
  timeout: ['upstream_timeout', /^The registry did not respond in time/],
  too_large: ['upstream_error', /too large/],
  informational: ['upstream_error', /informational/],
  overloaded: ['overloaded', /try again in 5 seconds/],
};
for (const [reason, [code, message]] of Object.entries(failures)) {
  test(`maps the failure ${reason} to ${code}`, async () => {
    const found = await failure(() => ({ failure: reason as OutboundFailure }));
    assert.equal(found.code, code);
    assert.match(found.message, message);
    // What the client can do.
    assert.match(found.message, /try (?:again|later)/);
  });
}

const bodies: readonly (readonly [string, string | object, RegExp])[] = [
  ['a web page', '\n<!DOCTYPE html><p>[[[', /web page/],
  ['an empty body', '', /not valid JSON/],
  ['half a JSON', '{"objectClassName":"domain"', /not valid JSON/],
  ['10,001 values', `{"objectClassName":"domain","a":[${'0,'.repeat(10_000)}0]}`, /has more than 10000 values/],
  ['an array', [{ objectClassName: 'domain' }], /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['a deep object', `{"objectClassName":"domain","a":${'['.repeat(64)}${']'.repeat(64)}}`, /too deeply/],
  ['an entity', { objectClassName: 'entity', ldhName: 'example.com' }, /another kind/],
  ['an object without any name', { status: [] }, /another kind/],
  ['a class that is not a text', { objectClassName: {} }, /another kind/],
];
for (const [what, body, message] of bodies) {
  test(`rejects ${what}`, async () => {
    const found = await failure(() => respondWith(200, body));
    assert.equal(found.code, 'upstream_error');
    assert.match(found.message, message);
    assert.match(found.message, /; try again later\.$/);
  });
}

test('reads an error object with status 200', async () => {
  assert.equal((await failure(() => respondWith(200, { errorCode: 404 }))).code, 'not_found');
  assert.equal((await failure(() => respondWith(200, { errorCode: '429' }))).code, 'upstream_rate_limited');
  assert.equal((await failure(() => respondWith(200, { errorCode: 500 }))).code, 'upstream_error');
});

const lookUp = async (body: string | object, q = 'example.com', headers = {}) =>
  rdap(q, registries(() => respondWith(200, body, headers)).platform, userAgent);

test('accepts a byte order mark, another content type, and bytes that are not UTF-8', async () => {
  const text = JSON.stringify(fixture(example));
  assert.deepEqual((await lookUp(`\ufeff${text}`)).data, fixture(example));
  assert.deepEqual((await lookUp(text, 'example.com', { 'content-type': 'text/html' })).data, fixture(example));
  const latin1 = {
    ...respondWith(200),
    body: Uint8Array.from(Buffer.from('{"ldhName":"example.com","x":"\xe9"}', 'latin1')),
  };
  const { data } = await rdap('example.com', registries(() => latin1).platform, userAgent);
  assert.deepEqual(data, { ldhName: 'example.com', x: '\ufffd' });
});

test('accepts an object without objectClassName but with a member of its kind, and the class in any case', async () => {
  assert.equal((await lookUp({ ldhName: 'EXAMPLE.com' })).kind, 'domain');
  assert.equal((await lookUp({ startAddress: '8.8.8.0', endAddress: '8.8.8.255' }, '8.8.8.8')).kind, 'ip');
  assert.equal((await lookUp({ startAutnum: 15169 }, 'AS15169')).kind, 'autnum');
  const cidr0 = [{ v4prefix: '8.8.8.0', length: 24 }];
  assert.equal((await lookUp({ objectClassName: 'IP Network', cidr0_cidrs: cidr0 }, '8.8.8.8')).kind, 'ip');
});

/** Responds with 302 for these paths. */
const redirecting =
  (locations: Record<string, string>, status = 302) =>
  (request: OutboundRequest) => {
    const location = locations[request.url];
    return location === undefined ? serve(request) : respondWith(status, '', { location });
  };

/** A file that assigns all IPv4 addresses to ARIN. */
const arinOnly: BootstrapFile = {
  publication: null,
  services: [{ entries: ['0.0.0.0/0'], urls: ['https://rdap.arin.net/registry/'] }],
};

test('follows a redirect from one registry to another', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const respond = redirecting(
      { 'https://rdap.arin.net/registry/ip/1.1.1.1': 'https://rdap.apnic.net/ip/1.1.1.1#x' },
      status,
    );
    const { platform } = registries(respond, {
      bootstrapFile: async (name) => (name === 'ipv4' ? arinOnly : files[name]),
    });
    const { source, summary } = await rdap('1.1.1.1', platform, userAgent);
    assert.equal(source, 'https://rdap.apnic.net/ip/1.1.1.1');
    assert.ok('rir' in summary && summary.rir === 'APNIC');
  }
});

test('follows a redirect to a server of another file, and relative redirects', async () => {
  const respond = redirecting({
    'https://rdap.lacnic.net/rdap/ip/177.8.8.9': '/rdap/ip/177.8.8.8',
    'https://rdap.lacnic.net/rdap/ip/177.8.8.8': 'https://rdap.registro.br/ip/177.8.8.8',
  });
  const { platform, requests } = registries(respond);
  assert.equal((await rdap('177.8.8.9', platform, userAgent)).source, 'https://rdap.registro.br/ip/177.8.8.8');
  assert.equal(requests.length, 3);
});

test('does not state that a redirect leads to an unlisted server if one of the lists is not available', async () => {
  const respond = redirecting({ 'https://rdap.lacnic.net/rdap/ip/177.8.8.8': 'https://rdap.example/ip/177.8.8.8' });
  const lookUpWith = (missing: string) =>
    rejection(
      rdap(
        '177.8.8.8',
        registries(respond, {
          bootstrapFile: async (name) => (name === missing ? { failure: 'timeout' } : files[name]),
        }).platform,
        userAgent,
      ),
    );
  assert.match((await lookUpWith('none')).message, /a server that IANA's RDAP lists do not contain/);
  for (const missing of ['dns', 'ipv6', 'asn'])
    assert.deepEqual(await lookUpWith(missing), {
      code: 'upstream_timeout',
      message: "IANA's RDAP list did not arrive in time; try again later.",
    });
});

test('uses https if a redirect names http and both are listed', async () => {
  const respond = redirecting({
    'https://rdap.arin.net/registry/ip/8.8.8.9': 'http://rdap.arin.net/registry/ip/8.8.8.8',
  });
  const { platform } = registries(respond);
  assert.equal((await rdap('8.8.8.9', platform, userAgent)).source, 'https://rdap.arin.net/registry/ip/8.8.8.8');
});

test('follows a redirect to a server that is listed only with http', async () => {
  const location = 'http://rdap.cctld.kg/domain/example.com';
  const redirect = redirecting({ [`https://${example}`]: location });
  const respond = (request: OutboundRequest) =>
    request.url === location ? respondWith(200, { ldhName: 'example.com' }) : redirect(request);
  const { source } = await rdap('example.com', registries(respond).platform, userAgent);
  assert.equal(source, location);
});

test('follows a redirect of a server that is listed only with http to its https URL', async () => {
  const url = 'http://rdap.cctld.kg/domain/example.kg';
  const secure = 'https://rdap.cctld.kg/domain/example.kg';
  assert.equal(
    (await rdap('example.kg', registries(redirecting({ [url]: secure })).platform, userAgent)).source,
    secure,
  );
  for (const location of ['https://rdap.cctld.kg:80/', 'https://rdap.cctld.kg:8443/', 'https://cctld.kg/'])
    assert.match(
      (await failure(redirecting({ [url]: location }), 'example.kg')).message,
      /IANA's RDAP lists/,
      location,
    );
});

test('rejects the record of another domain, block or AS number, and states which arrived', async () => {
  const domain = (name: string) => ({ objectClassName: 'domain', ldhName: name });
  const block = (startAddress: string, endAddress: string) => ({
    objectClassName: 'ip network',
    startAddress,
    endAddress,
  });
  const numbers = (startAutnum: number | null, endAutnum: number | null) => ({
    objectClassName: 'autnum',
    startAutnum,
    endAutnum,
  });
  for (const [q, body, message] of [
    ['rd21.com', domain('afnic.fr'), 'the record of afnic.fr for the query rd21.com'],
    ['example.com', domain('www.example.com'), 'the record of www.example.com for the query example.com'],
    ['example.com', { objectClassName: 'domain' }, 'does not state what it describes, for the query example.com'],
    ['example.com', domain('<script>'), 'does not state what it describes'],
    ['8.8.8.8', block('1.1.1.0', '1.1.1.255'), 'the record of 1.1.1.0 to 1.1.1.255 for the query 8.8.8.8'],
    ['8.8.8.0/23', block('8.8.8.0', '8.8.8.255'), 'the record of 8.8.8.0 to 8.8.8.255 for the query 8.8.8.0/23'],
    ['8.8.8.8', block('::', 'ffff::'), 'the record of :: to ffff:: for the query 8.8.8.8'],
    ['8.8.8.8', block('8.8.8.0', 'x'), 'does not state what it describes'],
    ['2a00::/16', block('2a00::', '2a00:0:ffff::'), 'for the query 2a00::/16'],
    ['AS15169', numbers(1, 1876), 'the record of AS1 to AS1876 for the query AS15169'],
    ['AS15169', numbers(15170, 15170), 'the record of AS15170 for the query AS15169'],
    ['AS15169', numbers(null, 15169), 'does not state what it describes'],
  ] as const) {
    const found = await failure(() => respondWith(200, body), q);
    assert.equal(found.code, 'upstream_error', q);
    assert.ok(found.message.includes(message), found.message);
  }
});

test('accepts the record of the queried or the registered name, and of any range that contains the query', async () => {
  const registered = await rdap(
    'WWW.example.com',
    registries(() => respondWith(200, { ldhName: 'Example.COM.' })).platform,
    userAgent,
  );
  assert.equal(registered.kind, 'domain');
  const subdomain = () => respondWith(200, { ldhName: 'www.example.com' });
  assert.equal((await rdap('www.example.com', registries(subdomain).platform, userAgent)).kind, 'domain');
  const idn = () => respondWith(200, { ldhName: 'bücher.example.com' });
  assert.equal((await rdap('xn--bcher-kva.example.com', registries(idn).platform, userAgent)).kind, 'domain');
  assert.equal((await lookUp({ startAddress: '8.0.0.0', endAddress: '8.127.255.255' }, '8.8.0.0/16')).kind, 'ip');
  assert.equal((await lookUp({ startAutnum: '15000', endAutnum: '15999' }, 'AS15169')).kind, 'autnum');
});

test('reports private and reserved objects without any request', async () => {
  for (const q of [
    '10.0.0.1',
    '192.168.0.0/24',
    '100.64.0.0/10',
    '203.0.113.7',
    '255.255.255.255',
    '::1',
    'fe80::1',
    'fd00::/8',
    '2001:db8::1',
    'AS0',
    'AS23456',
    'AS64512',
    'AS4294967295',
    'x.invalid',
    'localhost',
    'printer.local',
    'a.b.test',
    'nas.home.arpa',
    'abc.onion',
  ]) {
    const { platform, requests } = registries(serve, {
      bootstrapFile: () => assert.fail('requested a bootstrap file'),
    });
    const { code, message } = await rejection(rdap(q, platform, userAgent));
    assert.equal(code, 'not_found', q);
    assert.match(message, /reserved, so it is not registered/);
    assert.deepEqual(requests, []);
  }
});

test('looks up blocks and names next to reserved ones', async () => {
  for (const q of [
    '0.0.0.0/0',
    '::/0',
    '192.0.0.0/8',
    '9.255.255.255',
    '11.0.0.0',
    'AS64495',
    'AS131072',
    'test.com',
    'mylocal.com',
  ])
    assert.doesNotMatch((await failure(serve, q).catch(() => ({ message: '' }))).message, /reserved/, q);
});

test('looks up a top-level domain at the server that IANA lists for it', async () => {
  const { platform, requests } = registries(() => respondWith(200, { ldhName: 'COM' }));
  const { summary } = await rdap('com', platform, userAgent);
  assert.ok('name' in summary && summary.name === 'com');
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['https://rdap.verisign.com/com/v1/domain/com'],
  );
  const unlisted = await failure(serve, 'as-15169');
  assert.deepEqual([unlisted.code, unlisted.requests], ['no_rdap_service', []]);
  assert.match(unlisted.message, /top-level domain as-15169; for a domain, send at least two labels/);
});

test('follows no redirect to an unlisted server', async () => {
  for (const location of [
    'https://evil.example/domain/example.com',
    'https://rdap.verisign.com/admin',
    'https://rdap.verisign.com:8443/com/v1/domain/example.com',
    'https://user:pw@rdap.verisign.com/com/v1/domain/example.com',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]) {
    const found = await failure(
      (request) => (request.url === `https://${example}` ? respondWith(302, '', { location }) : serve(request)),
      'example.com',
    );
    assert.equal(found.code, 'upstream_error', location);
    assert.match(found.message, /IANA's RDAP lists/);
    assert.equal(found.requests.length, 1, location);
  }
});

test('reports a redirect that has no target', async () => {
  for (const headers of [{}, { location: '' }, { location: 'https://' }])
    assert.deepEqual(await failure(() => respondWith(302, '', headers)), {
      code: 'upstream_error',
      message: 'The registry redirects without a valid Location header; try again later.',
      requests: [`https://${example}`],
    });
});

test('follows no redirect with several different targets, even if each is listed', async () => {
  const location = 'https://rdap.verisign.com/com/v1/domain/a.com, https://rdap.verisign.com/com/v1/domain/b.com';
  const redirect = respondWith(302, '', { location });
  const found = await failure(() => ({ ...redirect, hasSeveralLocations: true }));
  assert.equal(found.code, 'upstream_error');
  assert.match(found.message, /redirects to several different URLs/);
  assert.equal(found.requests.length, 1);
});

test('follows five redirects and no sixth', async () => {
  const hop = (n: number) => `https://rdap.verisign.com/com/v1/hop/${n}`;
  const chain = (count: number) => (request: OutboundRequest) => {
    const n = request.url.startsWith(hop(0).slice(0, -1)) ? Number(request.url.split('/').at(-1)) : 0;
    return n === count ? respondWith(200, { ldhName: 'example.com' }) : respondWith(301, '', { location: hop(n + 1) });
  };
  const { platform, requests } = registries(chain(5));
  assert.equal((await rdap('example.com', platform, userAgent)).source, hop(5));
  assert.equal(requests.length, 6);
  const found = await failure(chain(6));
  assert.match(found.message, /more than 5/);
  assert.equal(found.requests.length, 6);
});

/** Three servers for example.com, and a clock that their responses advance. */
const three = (respond: (url: string) => readonly [elapsedMs: number, result: OutboundResult], startMs = 0) => {
  let nowMs = 1000;
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'http://d.example/'];
  const changed: Partial<Platform> = {
    now: () => nowMs,
    bootstrapFile: async () => {
      nowMs += startMs;
      startMs = 0;
      return { publication: null, services: [{ entries: ['com'], urls }] };
    },
  };
  const { platform, requests } = registries(({ url, timeoutMs }) => {
    const [elapsedMs, result] = respond(new URL(url).hostname);
    nowMs += Math.min(elapsedMs, timeoutMs);
    return elapsedMs > timeoutMs ? { failure: 'timeout' } : result;
  }, changed);
  return {
    lookup: () => rdap('example.com', platform, userAgent),
    hosts: () => requests.map(({ url }) => new URL(url).hostname[0]).join(''),
    requests,
  };
};
const good = respondWith(200, { ldhName: 'example.com' });

test('queries the next server after 5xx and connection failures', async () => {
  for (const first of [
    respondWith(500),
    respondWith(503),
    { failure: 'unreachable' },
    { failure: 'unresolved' },
    { failure: 'certificate' },
    { failure: 'blocked' },
    { failure: 'timeout' },
  ] as const) {
    const { lookup, hosts } = three((host) => [10, host === 'a.example' ? first : good]);
    assert.equal((await lookup()).source, 'https://b.example/domain/example.com');
    assert.equal(hosts(), 'ab');
  }
});

test('queries no other server after a response', async () => {
  for (const first of [
    respondWith(404),
    respondWith(429),
    respondWith(400),
    respondWith(200, '<p>'),
    respondWith(302, '', { location: 'https://e.example/' }),
    { failure: 'too_large' },
  ] as const) {
    const { lookup, hosts } = three(() => [10, first]);
    await rejection(lookup());
    assert.equal(hosts(), 'a');
  }
});

test('uses no http server if others support https', async () => {
  const { lookup, hosts } = three(() => [10, { failure: 'unreachable' }]);
  assert.equal((await rejection(lookup())).code, 'upstream_error');
  assert.equal(hosts(), 'abc');
});

test('limits one server to 5 seconds and all to 10', async () => {
  const { lookup, hosts, requests } = three(() => [60_000, good]);
  assert.equal((await rejection(lookup())).code, 'upstream_timeout');
  assert.equal(hosts(), 'ab');
  assert.deepEqual(
    requests.map(({ timeoutMs }) => timeoutMs),
    [5000, 5000],
  );
});

test('counts redirects and the bootstrap file against the time limit', async () => {
  const slow = three((host) => [3000, host === 'a.example' ? respondWith(302, '', { location: '/loop' }) : good], 4000);
  assert.equal((await rejection(slow.lookup())).code, 'upstream_timeout');
  assert.deepEqual(
    slow.requests.map(({ timeoutMs }) => timeoutMs),
    [5000, 2000, 1000],
  );
  const late = three(() => [0, good], 10_000);
  assert.equal((await rejection(late.lookup())).code, 'upstream_timeout');
  assert.equal(late.hosts(), '');
});
