/** Header checks of the unmodified service in a simulated internet: good sites, faulty sites, and attacks. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ErrorCode, errors } from '../../src/core/errors.ts';
import { product } from '../../src/core/product.ts';
import { HeaderCheck } from '../../src/lookups/headers-check/schema.ts';
import { type SimulatedInternet, skipWithoutInternet } from './internet.ts';
import { type SimulatedService, serveIn } from './service.ts';
import { sharedInternet } from './shared.ts';
import { privateNames, privateUrls } from './sites.ts';

describe('a header check in the simulated internet', { skip: skipWithoutInternet(), concurrency: true }, () => {
  let internet: SimulatedInternet;
  let service: SimulatedService;
  before(async () => {
    internet = await sharedInternet();
    service = await serveIn(internet);
  });
  after(async () => {
    // For all tests together: they run concurrently.
    if (internet !== undefined) assert.deepEqual(await internet.decoyHits(), []);
    await service?.close();
  });

  const sendOnce = async (url: string, from?: string) => {
    const { status, body } = await service.request(
      `/api/headers-check?${new URLSearchParams({ url })}`,
      from === undefined ? {} : { from },
    );
    return { status, body: JSON.parse(body) };
  };
  /** On a busy machine, the 5 seconds of a check can pass although its target responds. */
  const send = async (url: string, from?: string) => {
    let reply = await sendOnce(url, from);
    for (let again = 0; again < 5 && reply.body.error === 'target_timeout'; again += 1)
      reply = await sendOnce(url, from);
    return reply;
  };
  const check = async (url: string) => {
    const { status, body } = await send(url);
    assert.equal(status, 200, JSON.stringify(body));
    return HeaderCheck.strict().parse(body);
  };
  const assertRejected = async (url: string, code: ErrorCode) => {
    const { status, body } = await (code === 'target_timeout' ? sendOnce : send)(url);
    assert.deepEqual([body.error, status], [code, errors[code].status], url);
    assert.equal(body.docs, 'https://seenby.test/docs#errors');
  };

  test('grades a well-kept site A+ and a bare one D, over HTTPS', async () => {
    const kept = await check('https://well-kept.test/');
    assert.deepEqual([kept.grade.grade, kept.grade.score, kept.setCookies.length], ['A+', 100, 1]);
    assert.deepEqual(kept.hops, [{ url: 'https://well-kept.test/', status: 200, location: null }]);
    assert.equal((await check('https://bare.test/')).grade.grade, 'D');
  });

  test('sends a target only a fixed set of headers', async () => {
    const path = '/who?asks=1';
    await check(`https://h2.test${path}`);
    await check(`http://bare.test${path}`);
    const arrivals = (await internet.arrivals()).filter((arrival) => arrival.path === path);
    assert.deepEqual(
      arrivals.map(({ host, protocol, rawHeaders }) => [
        host,
        protocol,
        rawHeaders
          .filter((_, at) => at % 2 === 0)
          .map((name) => name.toLowerCase())
          .filter((name) => !name.startsWith(':'))
          .toSorted(),
      ]),
      [
        ['h2.test', 'HTTP/2', ['accept', 'user-agent']],
        ['bare.test', 'HTTP/1.1', ['accept', 'connection', 'host', 'user-agent']],
      ],
    );
    for (const { rawHeaders } of arrivals) {
      const sent = rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'user-agent') + 1];
      assert.equal(sent, `Seenby/${product.version} (+https://seenby.test/docs)`);
    }
  });

  test('follows redirects from http to https and a chain of at most five', async () => {
    const { finalUrl, hops } = await check('http://to-https.test/');
    assert.deepEqual([finalUrl, hops.length], ['https://to-https.test/', 2]);
    assert.equal((await check('https://hops.test/5')).hops.length, 6);
    await assertRejected('https://hops.test/6', 'too_many_redirects');
    await assertRejected('https://redirect-loop.test/', 'too_many_redirects');
  });

  test('grades the final response with any status and protocol', async () => {
    for (const [host, status] of [
      ['no-location', 302],
      ['location-on-200', 200],
      ['304', 304],
      ['404', 404],
      ['500', 500],
      ['http-1.0', 200],
      ['h2', 200],
      ['ipv6-only', 200],
      ['dns64', 200],
      ['two-locations', 302],
      ...['servfail', 'nxdomain', 'refused', 'notimp', 'silent'].map(
        (failure) => [`aaaa-${failure}.rebind`, 200] as const,
      ),
      ['ipv6-refused', 200],
      ['ipv6-silent', 200],
      ['xn--bcher-kva', 200],
    ] as const)
      assert.equal((await check(`https://${host}.test/`)).status, status, host);
  });

  test('states that a name has no address only if its name servers do', async () => {
    for (const [host, message] of [
      ['no-such-name.test', /^The host name of the target has no address; check its spelling\.$/],
      ...['bogus.com', 'dns-refused.test', 'no-answer.test'].map(
        (name) => [name, /^One of the queries .* failed/] as const,
      ),
    ] as const) {
      const { body } = await send(`https://${host}/`);
      assert.equal(body.error, 'target_unreachable');
      assert.match(body.message, message, host);
    }
  });

  test('separates cookies and joins repeated headers', async () => {
    assert.equal((await check('https://200-cookies.test/')).setCookies.length, 200);
    const { headers } = await check('https://repeated.test/');
    assert.deepEqual([headers['x-frame-options'], headers['set-cookie']], ['DENY, DENY', undefined]);
    for (const host of ['utf8-header', 'latin1-header'])
      assert.equal((await check(`https://${host}.test/`)).headers['x-name'], 'café');
  });

  test('never waits for a body, endless or slow', async () => {
    for (const host of ['endless', 'slow-body', 'large', 'cut-off'])
      assert.equal((await check(`https://${host}.test/`)).status, 200, host);
  });

  for (const [code, urls] of Object.entries({
    invalid_target: [
      'https://seenby.test/',
      'http://SEENBY.test./json',
      'http://203.0.114.10/',
      'http://alias.test/',
      'https://alias.test/json?format=xml',
      'http://redirect.test/?to=https://alias.test/no-such-path',
    ],
    blocked_address: privateNames.map((name) => `https://${name}.test/`),
    target_unreachable: [
      ...['refused', 'unreachable', 'unreachable-ipv6', 'prohibited', 'no-such-name'].map(
        (name) => `http://${name}.test/`,
      ),
      ...[
        'reset-at-once',
        'reset-after-request',
        'closed-without-answer',
        'garbage',
        'http-0.9',
        'headers-64k',
        'headers-64k-h2',
        'early-hints',
      ].map((name) => `https://${name}.test/`),
      'https://https-refused.test/',
    ],
    invalid_certificate: ['expired', 'self-signed', 'other-name'].map((name) => `https://${name}.test/`),
    target_timeout: ['hang', 'silent', 'slow-header', 'no-connection', 'no-connection-ipv6'].flatMap((name) => [
      `https://${name}.test/`,
      `http://${name}.test/`,
    ]),
    invalid_url: ['https://malformed-location.test/', 'https://other-port.test:8443/', 'gopher://bare.test/'],
  } satisfies { readonly [Code in ErrorCode]?: readonly string[] }))
    test(`responds with ${code} for its causes`, async () => {
      await Promise.all(urls.map((url) => assertRejected(url, code as ErrorCode)));
    });

  test('grades malformed responses, and names what is malformed', async () => {
    for (const [name, id] of [
      ['bad-header', 'malformed-no-colon'],
      ['nul-in-header', 'malformed-null-character'],
      ['two-lengths', 'malformed-length'],
    ] as const) {
      const { status, grade } = await check(`https://${name}.test/`);
      const found = grade.notes.map((note) => note.id).filter((each) => each.startsWith('malformed-'));
      assert.deepEqual([status, found], [200, [id]], name);
    }
  });

  test('connects to no non-public address, in any notation, directly or by redirect', async () => {
    const redirected = privateUrls.map((to) => `http://redirect.test/?${new URLSearchParams({ to })}`);
    const given = privateUrls.filter((url) => url.startsWith('http'));
    for (const url of [...given, ...redirected]) await assertRejected(url, 'blocked_address');
  });

  test('reports that a redirect goes to a private name', async () => {
    for (const to of ['http://private.test/', 'http://10.0.0.5/', 'http://168.63.129.16/']) {
      const { body } = await send(`http://redirect.test/?${new URLSearchParams({ to })}`);
      assert.equal(body.error, 'blocked_address');
      assert.match(body.message, /^The target redirects to a URL that is not allowed\. The target is a private/);
    }
  });

  test('rejects a name that changes its address (DNS rebinding)', async () => {
    const outcomes: string[] = [];
    for (let turn = 0; turn < 6; turn++)
      outcomes.push((await send('http://turns.rebind.test/')).body.error ?? 'reached');
    assert.deepEqual(new Set(outcomes), new Set(['reached', 'blocked_address']));
  });

  test('counts against 10 lookups and 60 requests per minute, before it validates anything', async () => {
    const from = '26.0.0.1';
    for (let call = 0; call < 10; call++) assert.equal((await send('not a url', from)).body.error, 'invalid_url');
    assert.equal((await send('https://bare.test/', from)).body.error, 'rate_limited');
    const { body } = await service.request('/api/rdap?q=example.com', { from });
    assert.equal(JSON.parse(body).error, 'rate_limited');
    // Ten of sixty are used: rejected requests do not count.
    const statuses = [];
    for (let call = 0; call < 51; call++) statuses.push((await service.request('/ip', { from })).status);
    assert.deepEqual([statuses.slice(0, 50).every((status) => status === 200), statuses[50]], [true, 429]);
  });

  test('prints no request data', async () => {
    await send('https://bare.test/canary-3f9c?secret=canary-3f9c');
    await send('https://canary-3f9c.test/');
    // When it starts, it prints requests to try, with its own name.
    const printed = service.printed().replaceAll('https://seenby.test', '');
    assert.doesNotMatch(printed, /canary|\.test\b|25\.0\./);
    assert.doesNotMatch(printed, /unexpected/);
  });
});
