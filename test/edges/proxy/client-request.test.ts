/** A request through a trusted proxy is the client's: it contains nothing of the proxy's own connection. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefixOf } from '../../../src/core/address.ts';
import { type ObservedRequest, unobserved } from '../../../src/core/observed.ts';
import { type AddressLookups, createClientResolver, type Trust } from '../../../src/edges/proxy/client-request.ts';
import type { ForwardingProblem } from '../../../src/edges/proxy/problem.ts';
import { seenAll } from '../../observed.ts';

const { location, autonomousSystem } = seenAll;
const requested: string[] = [];
const knowledge: AddressLookups = {
  identify: (ip) => `key of ${ip}`,
  locate: (ip) => {
    requested.push(ip);
    return { ...location, city: `City of ${ip}` };
  },
  autonomousSystem: () => ({ ...autonomousSystem, asn: 64_500 }),
  isAuthority: (text) => /^[\w.:-]+$/.test(text),
};

const peer = '192.0.2.1';

/** Null if the request is rejected. */
function seenThrough(headers: Record<string, string>, trust: Partial<Trust> = {}): ObservedRequest | null {
  const resolved = resolve(headers, trust).resolved;
  return 'problem' in resolved ? null : resolved;
}

/** What a request through the proxy becomes, and which problems are reported. */
function resolve(headers: Record<string, string>, trust: Partial<Trust> = {}) {
  const whole: Trust = { networks: [prefixOf(peer)], header: 'x-forwarded-for', edgeHeaders: [], ...trust };
  const observed = {
    ...seenAll,
    ip: peer,
    origin: 'http://inner.example:8080',
    isSecure: false,
    headers,
    onLoopback: true,
  };
  const reported: ForwardingProblem[] = [];
  const resolved = createClientResolver(whole, knowledge, (problem) => reported.push(problem))(observed);
  return { resolved, reported };
}

test("reports the client's address, location and rate key, and null for the proxy's connection", () => {
  const own = { accept: '*/*', 'accept-encoding': 'br', priority: 'u=5' };
  const seen = seenThrough({ 'x-forwarded-for': '198.51.100.1, 203.0.113.9', ...own });
  assert.deepEqual(requested, []);
  assert.deepEqual(
    { ...seen, headers: { ...seen?.headers }, edgeHeaders: { ...seen?.edgeHeaders } },
    {
      ...unobserved,
      method: 'GET',
      path: '/json',
      query: '',
      origin: 'http://inner.example:8080',
      isSecure: false,
      ip: '203.0.113.9',
      rateKey: 'key of 203.0.113.9',
      location: { ...location, city: 'City of 203.0.113.9' },
      autonomousSystem: { ...autonomousSystem, asn: 64_500 },
      colo: 'OSL',
      priority: 'u=5',
      acceptEncoding: 'br',
      headers: { 'x-forwarded-for': '198.51.100.1', ...own },
      edgeHeaders: { 'x-forwarded-for': '203.0.113.9' },
      simulated: false,
      onLoopback: false,
    },
  );
});

test('reports the proxy itself if it sets no client address', () => {
  assert.equal(seenThrough({ accept: '*/*' })?.ip, peer);
});

describe('the address is not changed by', () => {
  const passedThrough: Readonly<Record<string, string>> = {
    forwarded: 'for=198.51.100.1;host=evil.example;proto=https',
    'x-edge-ip': '198.51.100.1',
    'x-real-ip': '198.51.100.1',
    'cf-connecting-ip': '198.51.100.1',
    'true-client-ip': '198.51.100.1',
    'x-client-ip': '198.51.100.1',
    via: '1.1 198.51.100.1',
  };
  for (const [name, value] of Object.entries(passedThrough)) {
    test(`a client's ${name} that the proxy forwards`, () => {
      for (const edgeHeaders of [[], ['x-edge']] as const) {
        const seen = seenThrough({ [name]: value, 'x-forwarded-for': '203.0.113.9' }, { edgeHeaders });
        assert.equal(seen?.ip, '203.0.113.9');
        assert.equal(seen?.origin, 'http://inner.example:8080');
        assert.deepEqual({ ...seen?.headers }, { [name]: value });
      }
    });
  }

  test('X-Forwarded-For if the setting names another header', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '203.0.113.9' };
    const seen = seenThrough(headers, { header: 'x-real-ip' });
    assert.equal(seen?.ip, '203.0.113.9');
    assert.deepEqual({ ...seen?.headers }, { 'x-forwarded-for': '198.51.100.1' });
    assert.deepEqual({ ...seen?.edgeHeaders }, { 'x-real-ip': '203.0.113.9' });
  });
});

test('moves trusted headers to edgeHeaders and keeps the others', () => {
  const headers = { 'x-edge-tls-version': 'TLSv1.3', 'x-edge-other': 'mine', 'cf-ray': 'a-LHR' };
  const forwardedFor = { 'x-forwarded-for': '203.0.113.9' };
  const unbelieved = seenThrough({ ...headers, ...forwardedFor });
  assert.deepEqual([{ ...unbelieved?.headers }, unbelieved?.tls.version], [{ ...headers }, null]);
  const trusted = seenThrough(headers, { edgeHeaders: ['x-edge', 'cf'] });
  assert.deepEqual({ ...trusted?.headers }, { 'x-edge-other': 'mine' });
  assert.deepEqual({ ...trusted?.edgeHeaders }, { 'x-edge-tls-version': 'TLSv1.3', 'cf-ray': 'a-LHR' });
  assert.deepEqual([trusted?.tls.version, trusted?.colo], ['TLSv1.3', 'LHR']);
  assert.equal(unbelieved?.colo, seenAll.colo);
});

describe('behind Cloudflare', () => {
  const trust = { header: 'cf-connecting-ip', edgeHeaders: ['cf'] } as const;

  test('X-Forwarded-For is divided into what the client sent and the address that Cloudflare appended', () => {
    const through = (forwardedFor: string) =>
      seenThrough({ 'cf-connecting-ip': '203.0.113.9', 'x-forwarded-for': forwardedFor }, trust);
    const appended = through('203.0.113.9');
    assert.deepEqual({ ...appended?.headers }, {});
    assert.equal(appended?.edgeHeaders['x-forwarded-for'], '203.0.113.9');
    const both = through('198.51.100.1,203.0.113.9');
    assert.deepEqual({ ...both?.headers }, { 'x-forwarded-for': '198.51.100.1' });
    assert.equal(both?.edgeHeaders['x-forwarded-for'], '203.0.113.9');
    const others = through('203.0.113.9, 198.51.100.1');
    assert.deepEqual({ ...others?.headers }, { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' });
  });

  test('"Pseudo IPv4" does not hide the IPv6 address', () => {
    const headers = { 'cf-connecting-ip': '240.16.0.1', 'cf-connecting-ipv6': '2001:db8::5' };
    const seen = seenThrough(headers, trust);
    assert.deepEqual([seen?.ip, seen?.rateKey], ['2001:db8::5', 'key of 2001:db8::5']);
    assert.deepEqual({ ...seen?.edgeHeaders }, headers);
    const usual = { ...headers, 'cf-connecting-ip': '203.0.113.9' };
    assert.equal(seenThrough(usual, trust)?.ip, '203.0.113.9');
    assert.equal(
      seenThrough({ ...headers, 'x-real-ip': '203.0.113.9' }, { ...trust, header: 'x-real-ip' })?.ip,
      '203.0.113.9',
    );
  });
});

describe('the URL in Forwarded', () => {
  const through = (headers: Record<string, string>) => seenThrough(headers, { header: 'forwarded' });
  const rows: readonly (readonly [headers: Record<string, string>, origin: string])[] = [
    [{ forwarded: 'for="[2001:db8::17]:4711";proto=https;host=seenby.example' }, 'https://seenby.example'],
    [{ forwarded: 'for=203.0.113.9;proto=HTTPS' }, 'https://inner.example:8080'],
    [{ forwarded: 'for=203.0.113.9' }, 'http://inner.example:8080'],
    // The client wrote the first element.
    [{ forwarded: 'for=198.51.100.1;proto=https;host=evil.example, for=203.0.113.9' }, 'http://inner.example:8080'],
    [{ forwarded: `for=203.0.113.9;proto=https, for=${peer};proto=http` }, 'https://inner.example:8080'],
    [{ forwarded: 'for=203.0.113.9;proto=https', 'x-forwarded-proto': 'http' }, 'http://inner.example:8080'],
    [{ forwarded: 'for=203.0.113.9;proto=https;proto=http' }, 'http://inner.example:8080'],
  ];
  for (const [headers, origin] of rows)
    test(`is ${origin} with ${JSON.stringify(headers)}`, () => {
      assert.equal(through(headers)?.origin, origin);
    });

  test('is rejected if it is malformed', () => {
    assert.equal(through({ forwarded: 'for=203.0.113.9;proto=javascript' }), null);
    assert.equal(through({ forwarded: 'for=203.0.113.9;host="evil.example/x"' }), null);
  });
});

describe('the requested origin', () => {
  const origins: readonly (readonly [headers: Record<string, string>, origin: string | null])[] = [
    [{ 'x-forwarded-proto': 'HTTPS', 'x-forwarded-host': 'seenby.example' }, 'https://seenby.example'],
    [{ 'x-forwarded-proto': 'https' }, 'https://inner.example:8080'],
    [{ 'x-forwarded-host': 'seenby.example:444, seenby.example:444' }, 'http://seenby.example:444'],
    [{ 'x-forwarded-proto': 'https, http' }, 'http://inner.example:8080'],
    // A proxy with WebSocket in mind, and one that appends nothing.
    [{ 'x-forwarded-proto': 'wss' }, 'https://inner.example:8080'],
    [{ 'x-forwarded-proto': 'WS', 'x-forwarded-host': 'seenby.example' }, 'http://seenby.example'],
    [{ 'x-forwarded-proto': 'https, ' }, 'https://inner.example:8080'],
    [{ 'x-forwarded-proto': '"https"' }, 'https://inner.example:8080'],
    [{ 'x-forwarded-host': 'seenby.example, , seenby.example' }, 'http://seenby.example'],
    [{ 'x-forwarded-proto': 'javascript' }, null],
    [{ 'x-forwarded-host': 'a.example, b.example' }, null],
    [{ 'x-forwarded-host': 'evil.example/"><script>' }, null],
  ];
  for (const [headers, origin] of origins) {
    test(`is ${origin ?? 'rejected'} with ${JSON.stringify(headers)}`, () => {
      const seen = seenThrough(headers);
      assert.equal(seen?.origin ?? null, origin);
      const { 'x-forwarded-host': named } = headers;
      const host = named === undefined ? {} : { host: named.replace(/,.*/, '') };
      if (seen !== null) assert.deepEqual([{ ...seen.headers }, { ...seen.edgeHeaders }], [host, headers]);
    });
  }
});

test('an empty header is as if absent', () => {
  const through = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'seenby.example',
  };
  for (const [name, origin, ip] of [
    ['x-forwarded-for', 'https://seenby.example', peer],
    ['x-forwarded-proto', 'http://seenby.example', '203.0.113.9'],
    ['x-forwarded-host', 'https://inner.example:8080', '203.0.113.9'],
  ] as const)
    for (const empty of ['', ' ', ',', ' , ,']) {
      const { resolved, reported } = resolve({ ...through, [name]: empty });
      assert.ok('ip' in resolved);
      assert.deepEqual([resolved.origin, resolved.ip, reported], [origin, ip, []], name + empty);
    }
  // Without any of them, the proxy is a client with its own connection.
  const alone = seenThrough({ 'x-forwarded-for': '', 'x-forwarded-proto': '', 'x-forwarded-host': '' });
  assert.deepEqual([alone?.ip, alone?.tls], [peer, seenAll.tls]);
});

test('the empty parameters of Forwarded are as if absent', () => {
  const seen = seenThrough({ forwarded: 'for=203.0.113.9;proto="";host=""' }, { header: 'forwarded' });
  assert.deepEqual([seen?.origin, seen?.ip], ['http://inner.example:8080', '203.0.113.9']);
});

describe('what cannot be used is reported without its value', () => {
  const secret = 'canary';
  const client = { 'x-forwarded-for': '203.0.113.9' };
  const rows: readonly (readonly [
    headers: Record<string, string>,
    problem: ForwardingProblem['problem'],
    isRejected: boolean,
  ])[] = [
    [
      { 'x-forwarded-for': secret },
      { header: 'X-Forwarded-For', problem: 'no_address', setting: 'TRUST_PROXY_HEADER' },
      false,
    ],
    [
      { 'x-forwarded-for': 'unknown' },
      { header: 'X-Forwarded-For', problem: 'unknown', setting: 'TRUST_PROXY_HEADER' },
      false,
    ],
    [
      { 'x-forwarded-for': `_${secret}` },
      { header: 'X-Forwarded-For', problem: 'obfuscated', setting: 'TRUST_PROXY_HEADER' },
      false,
    ],
    [
      { ...client, 'x-forwarded-proto': secret },
      { header: 'X-Forwarded-Proto', problem: 'no_scheme', setting: 'TRUST_PROXY' },
      true,
    ],
    [
      { ...client, 'x-forwarded-host': `${secret}/` },
      { header: 'X-Forwarded-Host', problem: 'no_host', setting: 'TRUST_PROXY' },
      true,
    ],
    [
      { ...client, 'x-forwarded-host': `${secret}, b.example` },
      { header: 'X-Forwarded-Host', problem: 'different_hosts', setting: 'TRUST_PROXY' },
      true,
    ],
  ];
  for (const [headers, problem, isRejected] of rows)
    test(`${problem.header}: ${problem.problem}`, () => {
      const { resolved, reported } = resolve(headers);
      const [first, ...more] = reported;
      assert.deepEqual([first?.problem, more], [problem, []]);
      assert.equal('problem' in resolved, isRejected);
      for (const text of [first?.logLine ?? '', first?.message ?? '']) {
        assert.ok(text.startsWith(`${problem.header} of `) && text.includes(problem.setting), text);
        assert.doesNotMatch(text, /canary|203/);
      }
    });

  test('names Forwarded if it has the scheme or host', () => {
    for (const [parameter, problem] of [
      ['proto=ftp', 'no_scheme'],
      ['host="a/b"', 'no_host'],
    ]) {
      const { reported } = resolve({ forwarded: `for=203.0.113.9;${parameter}` }, { header: 'forwarded' });
      const expected = { header: 'Forwarded', problem, setting: 'TRUST_PROXY' };
      assert.deepEqual(
        reported.map((each) => each.problem),
        [expected],
      );
    }
  });
});

describe('the requested host', () => {
  const proxies = ['10.0.0.0/8', peer].map(prefixOf);
  const rows: readonly (readonly [addresses: string, hosts: string, origin: string | null])[] = [
    // Each proxy appended the Host that it got to what it got: the client's position counts.
    ['203.0.113.9, 10.0.0.2', 'a.example, inner.example', 'http://a.example'],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'a.example, b.example:8080, c.example', 'http://a.example'],
    ['198.51.100.1, 203.0.113.9, 10.0.0.2', 'evil.example, a.example, inner.example', 'http://a.example'],
    ['198.51.100.1, 203.0.113.9', 'evil.example, a.example', 'http://a.example'],
    ['203.0.113.9, 10.0.0.2', 'a.example:80, , a.example:80', 'http://a.example:80'],
    // Which one counts is not known.
    ['203.0.113.9', 'evil.example, a.example', null],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'a.example, b.example', null],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'a.example, a.example', 'http://a.example'],
  ];
  for (const [addresses, hosts, origin] of rows)
    test(`is ${origin ?? 'rejected'} in "${hosts}" of the hops "${addresses}"`, () => {
      const headers = { 'x-forwarded-for': addresses, 'x-forwarded-host': hosts };
      assert.equal(seenThrough(headers, { networks: proxies })?.origin ?? null, origin);
    });
});

describe('the requested scheme', () => {
  const proxies = ['10.0.0.0/8', peer].map(prefixOf);
  const rows: readonly (readonly [addresses: string, schemes: string, scheme: string])[] = [
    // Each proxy appended to both lists.
    ['203.0.113.9', 'https', 'https'],
    ['203.0.113.9, 10.0.0.2', 'https,http', 'https'],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'https, http, http', 'https'],
    ['203.0.113.9, 10.0.0.2', 'http, https', 'http'],
    // What the client sent stands left of what the proxies appended.
    ['198.51.100.1, 203.0.113.9, 10.0.0.2', 'https, http, https', 'http'],
    ['198.51.100.1, 203.0.113.9', 'https, http', 'http'],
    ['unknown, 10.0.0.2', 'https, http', 'http'],
    // Lists of different lengths: the nearest proxy's entry, because the others may be the client's.
    ['203.0.113.9', 'https, http', 'http'],
    ['203.0.113.9, 10.0.0.2', 'https', 'https'],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'https, http', 'http'],
    ['198.51.100.1, 203.0.113.9, 10.0.0.2', 'https, http', 'http'],
    ['unknown, 10.0.0.2', 'https, https, http', 'http'],
    // No hop is a stranger, so neither is the first entry.
    ['10.0.0.3', 'https, http', 'https'],
    ['10.0.0.4, 10.0.0.3', 'https, http, http', 'https'],
  ];
  for (const [addresses, schemes, scheme] of rows) {
    test(`is ${scheme} in "${schemes}" of the hops "${addresses}"`, () => {
      const headers = { 'x-forwarded-for': addresses, 'x-forwarded-proto': schemes };
      assert.equal(seenThrough(headers, { networks: proxies })?.origin, `${scheme}://inner.example:8080`);
    });
  }
});

test("uses the client's host and no connection header, because proxies replace both", () => {
  const proxied = { host: 'inner.example:8080', connection: 'close', 'x-forwarded-for': '203.0.113.9' };
  const kept = seenThrough(proxied);
  assert.deepEqual(
    [{ ...kept?.headers }, { ...kept?.edgeHeaders }],
    [{ host: 'inner.example:8080' }, { connection: 'close', 'x-forwarded-for': '203.0.113.9' }],
  );
  const named = { ...proxied, 'x-forwarded-host': 'seenby.example' };
  const replaced = seenThrough(named);
  assert.deepEqual([{ ...replaced?.headers }, { ...replaced?.edgeHeaders }], [{ host: 'seenby.example' }, named]);
  // Cloudflare forwards the client's Host.
  const passed = seenThrough(named, { edgeHeaders: ['cf'] });
  assert.deepEqual([passed?.headers.host, passed?.edgeHeaders.connection], ['inner.example:8080', 'close']);
});

test('a trusted peer without any forwarding header is a client with its own connection', () => {
  const headers = { host: 'localhost', connection: 'keep-alive', 'accept-encoding': 'br', 'user-agent': 'curl/8' };
  for (const edgeHeaders of [[], ['x-edge'], ['cf'], ['x-edge', 'cf']] as const) {
    const seen = seenThrough(headers, { edgeHeaders });
    assert.deepEqual([seen?.tls, seen?.protocol, seen?.transport], [seenAll.tls, seenAll.protocol, seenAll.transport]);
    assert.deepEqual([seen?.ip, seen?.headers, seen?.edgeHeaders], [peer, headers, seenAll.edgeHeaders]);
  }
});

test("ignores X-Forwarded-Host from Cloudflare, which forwards the client's", () => {
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const seen = seenThrough(headers, { edgeHeaders: ['cf'] });
  assert.equal(seen?.origin, 'https://inner.example:8080');
  assert.equal(seen?.headers['x-forwarded-host'], 'evil.example');
});
