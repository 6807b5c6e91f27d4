/** A lookup asks the registry that IANA names, and says why when there is no answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../../src/core/errors.ts';
import type { OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../../src/core/platform.ts';
import { rdap } from '../../../src/lookups/rdap/rdap.ts';
import { RdapResult } from '../../../src/lookups/rdap/rdap-result.ts';
import { answer, files, fixture, registries, serve } from './fixtures.ts';

const userAgent = 'Seenby/1.0 (+https://seenby.example/docs)';
const example = 'rdap.verisign.com/com/v1/domain/example.com';

const rejection = async (lookup: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> => {
  try {
    await lookup;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return { code: error.code, message: error.message };
  }
  return assert.fail('an answer');
};

/** The failure of a lookup of example.com whose registry answers so. */
const failure = async (respond: (request: OutboundRequest) => OutboundResult, q = 'example.com') => {
  const { platform, asked } = registries(respond);
  return { ...(await rejection(rdap(q, platform, userAgent))), asked: asked.map(({ url }) => url) };
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
  test(`answers ${q.trim()} from ${path}`, async () => {
    const { platform, asked } = registries();
    const result = await rdap(q, platform, userAgent);
    assert.deepEqual(RdapResult.strict().parse(result), result);
    assert.deepEqual(result.data, fixture(path));
    assert.equal(result.source, `https://${path}`);
    assert.equal(result.query, q.trim());
    assert.equal(result.kind, path.includes('/domain/') ? 'domain' : path.includes('/ip/') ? 'ip' : 'autnum');
    assert.equal(asked.length, 1);
  });
}

test('asks an http server where there is no other', async () => {
  const { source } = await rdap('example.kg', registries().platform, userAgent);
  assert.equal(source, 'http://rdap.cctld.kg/domain/example.kg');
});

test('sends Accept, Accept-Encoding and User-Agent, and nothing else', async () => {
  const { platform, asked } = registries();
  await rdap('example.com', platform, userAgent);
  assert.deepEqual(asked, [
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

test('names when the list of servers was published', async () => {
  const published = async (q: string) => (await rdap(q, registries().platform, userAgent)).bootstrapUpdated;
  assert.equal(await published('example.com'), files.dns.publication);
  assert.equal(await published('8.8.8.8'), files.ipv4.publication);
  assert.equal(await published('AS15169'), files.asn.publication);
});

test('never follows related links', async () => {
  const { platform, asked } = registries();
  await rdap('example.org', platform, userAgent);
  assert.deepEqual(
    asked.map(({ url }) => new URL(url).host),
    ['rdap.publicinterestregistry.org'],
  );
});

test('refuses a missing or repeated q', async () => {
  const { platform, asked } = registries();
  assert.deepEqual(await rejection(rdap(null, platform, userAgent)), {
    code: 'invalid_query',
    message: 'Give the parameter q, and give it once.',
  });
  assert.equal((await rejection(rdap('', platform, userAgent))).code, 'invalid_query');
  assert.deepEqual(asked, []);
});

test('says when no registry serves a question', async () => {
  for (const q of ['example.de', '10.0.0.1', 'AS64512']) {
    const { code, asked } = await failure(serve, q);
    assert.equal(code, 'no_rdap_service', q);
    assert.deepEqual(asked, []);
  }
});

test('says when the list of IANA could not be had', async () => {
  const { platform } = registries(serve, { registryFile: async () => null });
  const { code, message } = await rejection(rdap('example.com', platform, userAgent));
  assert.equal(code, 'upstream_error');
  assert.match(message, /IANA/);
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
  test(`makes ${code} of the status ${status}`, async () => {
    for (const body of ['', '<html>secret</html>', { errorCode: status, title: 'secret', description: ['secret'] }]) {
      const found = await failure(() => answer(status, body));
      assert.equal(found.code, code);
      assert.doesNotMatch(found.message, /secret|example/);
    }
  });
}

test('says that the registry has no record, not that a path is wrong', async () => {
  assert.equal((await failure(() => answer(404))).message, 'The registry has no record of this.');
});

const failures: Readonly<Record<OutboundFailure, readonly [ErrorCode, RegExp]>> = {
  blocked: ['upstream_error', /not public/],
  own: ['upstream_error', /this service/],
  unresolved: ['upstream_error', /no address/],
  unreachable: ['upstream_error', /not be reached/],
  certificate: ['upstream_error', /certificate/],
  timeout: ['upstream_timeout', /in time/],
  too_large: ['upstream_error', /too large/],
};
for (const [reason, [code, message]] of Object.entries(failures)) {
  test(`makes ${code} of the failure ${reason}`, async () => {
    const found = await failure(() => ({ failure: reason as OutboundFailure }));
    assert.equal(found.code, code);
    assert.match(found.message, message);
  });
}

const bodies: readonly (readonly [string, string | object, RegExp])[] = [
  ['a web page', '\n<!DOCTYPE html><p>[[[', /web page/],
  ['an empty body', '', /not valid JSON/],
  ['half a JSON', '{"objectClassName":"domain"', /not valid JSON/],
  ['an array', [{ objectClassName: 'domain' }], /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['a deep object', `{"objectClassName":"domain","a":${'['.repeat(64)}${']'.repeat(64)}}`, /too deeply/],
  ['an entity', { objectClassName: 'entity', ldhName: 'example.com' }, /another kind/],
  ['an object without any name', { status: [] }, /another kind/],
  ['a class that is no text', { objectClassName: {} }, /another kind/],
];
for (const [what, body, message] of bodies) {
  test(`refuses ${what}`, async () => {
    const found = await failure(() => answer(200, body));
    assert.equal(found.code, 'upstream_error');
    assert.match(found.message, message);
  });
}

test('reads an error object that came with status 200', async () => {
  assert.equal((await failure(() => answer(200, { errorCode: 404 }))).code, 'not_found');
  assert.equal((await failure(() => answer(200, { errorCode: '429' }))).code, 'upstream_rate_limited');
  assert.equal((await failure(() => answer(200, { errorCode: 500 }))).code, 'upstream_error');
});

const answered = async (body: string | object, q = 'example.com', headers = {}) =>
  rdap(q, registries(() => answer(200, body, headers)).platform, userAgent);

test('accepts a byte order mark, another content type, and bytes that are not UTF-8', async () => {
  const text = JSON.stringify(fixture(example));
  assert.deepEqual((await answered(`\ufeff${text}`)).data, fixture(example));
  assert.deepEqual((await answered(text, 'example.com', { 'content-type': 'text/html' })).data, fixture(example));
  const latin1 = {
    ...answer(200),
    body: Uint8Array.from(Buffer.from('{"ldhName":"example.com","x":"\xe9"}', 'latin1')),
  };
  const { data } = await rdap('example.com', registries(() => latin1).platform, userAgent);
  assert.deepEqual(data, { ldhName: 'example.com', x: '\ufffd' });
});

test('accepts an object without objectClassName that has a member of its kind, and the class in any case', async () => {
  assert.equal((await answered({ ldhName: 'EXAMPLE.com' })).kind, 'domain');
  assert.equal((await answered({ startAddress: '8.8.8.0' }, '8.8.8.8')).kind, 'ip');
  assert.equal((await answered({ startAutnum: 15169 }, 'AS15169')).kind, 'autnum');
  assert.equal((await answered({ objectClassName: 'IP Network' }, '8.8.8.8')).kind, 'ip');
});

/** Answers 302 for these paths. */
const redirecting =
  (locations: Record<string, string>, status = 302) =>
  (request: OutboundRequest) => {
    const location = locations[request.url];
    return location === undefined ? serve(request) : answer(status, '', { location });
  };

test('follows a redirect from one registry to another', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const respond = redirecting(
      { 'https://rdap.arin.net/registry/ip/8.8.8.8': 'https://rdap.apnic.net/ip/1.1.1.1#x' },
      status,
    );
    const { source, summary } = await rdap('8.8.8.8', registries(respond).platform, userAgent);
    assert.equal(source, 'https://rdap.apnic.net/ip/1.1.1.1');
    assert.ok('rir' in summary && summary.rir === 'APNIC');
  }
});

test('follows a redirect to a server of another file, and relative ones', async () => {
  const respond = redirecting({
    'https://rdap.lacnic.net/rdap/ip/177.1.1.1': '/rdap/ip/177.8.8.8',
    'https://rdap.lacnic.net/rdap/ip/177.8.8.8': 'https://rdap.registro.br/ip/177.8.8.8',
  });
  const { platform, asked } = registries(respond);
  assert.equal((await rdap('177.1.1.1', platform, userAgent)).source, 'https://rdap.registro.br/ip/177.8.8.8');
  assert.equal(asked.length, 3);
});

test('asks by https when a redirect names http and both are listed', async () => {
  const respond = redirecting({ 'https://rdap.db.ripe.net/ip/193.0.64.1': 'http://rdap.arin.net/registry/ip/8.8.8.8' });
  const { platform } = registries(respond);
  assert.equal((await rdap('193.0.64.1', platform, userAgent)).source, 'https://rdap.arin.net/registry/ip/8.8.8.8');
});

test('follows a redirect to a server that is listed by http alone', async () => {
  const respond = redirecting({ [`https://${example}`]: 'http://rdap.cctld.kg/domain/example.kg' });
  const { source } = await rdap('example.com', registries(respond).platform, userAgent);
  assert.equal(source, 'http://rdap.cctld.kg/domain/example.kg');
});

test('follows no redirect off the lists', async () => {
  for (const location of [
    'https://evil.example/domain/example.com',
    'https://rdap.verisign.com/admin',
    'https://rdap.verisign.com:8443/com/v1/domain/example.com',
    'https://user:pw@rdap.verisign.com/com/v1/domain/example.com',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'https://',
  ]) {
    const found = await failure(
      (request) => (request.url === `https://${example}` ? answer(302, '', { location }) : serve(request)),
      'example.com',
    );
    assert.equal(found.code, 'upstream_error', location);
    assert.match(found.message, /IANA's lists/);
    assert.equal(found.asked.length, 1, location);
  }
  assert.equal((await failure(() => answer(302))).code, 'upstream_error');
});

test('follows five redirects and no sixth', async () => {
  const hop = (n: number) => `https://rdap.verisign.com/com/v1/hop/${n}`;
  const chain = (count: number) => (request: OutboundRequest) => {
    const n = request.url.startsWith(hop(0).slice(0, -1)) ? Number(request.url.split('/').at(-1)) : 0;
    return n === count ? answer(200, { ldhName: 'example.com' }) : answer(301, '', { location: hop(n + 1) });
  };
  const { platform, asked } = registries(chain(5));
  assert.equal((await rdap('example.com', platform, userAgent)).source, hop(5));
  assert.equal(asked.length, 6);
  const found = await failure(chain(6));
  assert.match(found.message, /more than 5/);
  assert.equal(found.asked.length, 6);
});

/** example.com on three servers, and a clock that these answers move. */
const three = (respond: (url: string) => readonly [elapsedMs: number, result: OutboundResult], startMs = 0) => {
  let nowMs = 1000;
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'http://d.example/'];
  const changed: Partial<Platform> = {
    now: () => nowMs,
    registryFile: async () => {
      nowMs += startMs;
      startMs = 0;
      return { publication: null, services: [{ entries: ['com'], urls }] };
    },
  };
  const { platform, asked } = registries(({ url, timeoutMs }) => {
    const [elapsedMs, result] = respond(new URL(url).hostname);
    nowMs += Math.min(elapsedMs, timeoutMs);
    return elapsedMs > timeoutMs ? { failure: 'timeout' } : result;
  }, changed);
  return {
    lookup: () => rdap('example.com', platform, userAgent),
    hosts: () => asked.map(({ url }) => new URL(url).hostname[0]).join(''),
    asked,
  };
};
const good = answer(200, { ldhName: 'example.com' });

test('asks the next server after 5xx and failures of the connection', async () => {
  for (const first of [
    answer(500),
    answer(503),
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

test('asks no other server after an answer', async () => {
  for (const first of [
    answer(404),
    answer(429),
    answer(400),
    answer(200, '<p>'),
    answer(302, '', { location: 'https://e.example/' }),
    { failure: 'too_large' },
  ] as const) {
    const { lookup, hosts } = three(() => [10, first]);
    await rejection(lookup());
    assert.equal(hosts(), 'a');
  }
});

test('falls back on no http server when others speak https', async () => {
  const { lookup, hosts } = three(() => [10, { failure: 'unreachable' }]);
  assert.equal((await rejection(lookup())).code, 'upstream_error');
  assert.equal(hosts(), 'abc');
});

test('spends 5 seconds on one server and 10 on all', async () => {
  const { lookup, hosts, asked } = three(() => [60_000, good]);
  assert.equal((await rejection(lookup())).code, 'upstream_timeout');
  assert.equal(hosts(), 'ab');
  assert.deepEqual(
    asked.map(({ timeoutMs }) => timeoutMs),
    [5000, 5000],
  );
});

test('counts redirects and the list of servers into the time', async () => {
  const slow = three((host) => [3000, host === 'a.example' ? answer(302, '', { location: '/loop' }) : good], 4000);
  assert.equal((await rejection(slow.lookup())).code, 'upstream_timeout');
  assert.deepEqual(
    slow.asked.map(({ timeoutMs }) => timeoutMs),
    [5000, 2000, 1000],
  );
  const late = three(() => [0, good], 10_000);
  assert.equal((await rejection(late.lookup())).code, 'upstream_timeout');
  assert.equal(late.hosts(), '');
});
