/** Registration lookups at simulated registries, with and without faults. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorCode, errors } from '../../src/core/errors.ts';
import { product } from '../../src/core/product.ts';
import { RdapResult } from '../../src/lookups/rdap/schema.ts';
import { skipWithoutInternet } from './internet.ts';
import { serveForSuite, serveIn } from './service.ts';

describe('a registration lookup in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite(serveIn);

  const send = async (q: string) => {
    const { status, body } = await simulated.service.request(`/api/rdap?${new URLSearchParams({ q })}`);
    return { status, body: JSON.parse(body) };
  };
  const assertRejected = async (q: string, code: ErrorCode) => {
    const { status, body } = await send(q);
    assert.deepEqual([body.error, status], [code, errors[code].status], q);
  };
  const faulty = (...names: string[]) => names.map((name) => `example.rdap-${name}`);

  test('requires IANA, and requests each file once', async () => {
    await simulated.internet.change('data.iana.org', '503');
    await assertRejected('example.com', 'upstream_error');
    await simulated.internet.change('data.iana.org', null);
    await simulated.internet.arrivals();
    for (const q of ['example.com', 'example.fr', '8.8.8.8', '1.1.1.1']) assert.equal((await send(q)).status, 200, q);
    const requested = (await simulated.internet.arrivals())
      .filter(({ host }) => host === 'data.iana.org')
      .map(({ path }) => path);
    assert.deepEqual(requested, ['/rdap/dns.json', '/rdap/ipv4.json']);
  });

  for (const [q, kind, source] of [
    ['example.com', 'domain', 'https://rdap.verisign.com/com/v1/domain/example.com'],
    ['WWW.Example.co.uk.', 'domain', 'https://rdap.nominet.uk/uk/domain/example.co.uk'],
    ['8.8.8.8', 'ip', 'https://rdap.arin.net/registry/ip/8.8.8.8'],
    ['8.8.8.8/24', 'ip', 'https://rdap.arin.net/registry/ip/8.8.8.0/24'],
    ['AS15169', 'autnum', 'https://rdap.arin.net/registry/autnum/15169'],
    ['example.rdap-redirect-listed', 'domain', 'https://found.rdap.test/domain/example.rdap-redirect-listed'],
    ['example.rdap-http-only', 'domain', 'http://http-only.rdap.test/domain/example.rdap-http-only'],
    ['example.rdap-json-type', 'domain', 'https://json-type.rdap.test/domain/example.rdap-json-type'],
    ['example.rdap-gzip', 'domain', 'https://gzip.rdap.test/domain/example.rdap-gzip'],
  ] as const)
    test(`queries the registry of ${q}`, async () => {
      const { status, body } = await send(q);
      assert.equal(status, 200, body.message);
      const result = RdapResult.strict().parse(body);
      assert.deepEqual([result.query, result.kind, result.source], [q, kind, source]);
      assert.match(result.bootstrapUpdated ?? '', /^\d{4}-\d\d-\d\dT/);
    });

  test('sends a registry only a fixed set of headers', async () => {
    await simulated.internet.arrivals();
    await send('example.com');
    const arrivals = await simulated.internet.arrivals();
    assert.deepEqual(
      arrivals.map(({ host, path }) => [host, path]),
      [['rdap.verisign.com', '/com/v1/domain/example.com']],
    );
    const pairs = Object.fromEntries(
      (arrivals[0]?.rawHeaders ?? [])
        .map((name, at, all) => [name.toLowerCase(), all[at + 1]])
        .filter((_, at) => at % 2 === 0),
    );
    assert.deepEqual(pairs, {
      host: 'rdap.verisign.com',
      connection: 'close',
      accept: 'application/rdap+json, application/json;q=0.8',
      'accept-encoding': 'identity',
      'user-agent': `Seenby/${product.version} (+https://seenby.test/docs)`,
    });
  });

  describe('responds with', { concurrency: true }, () => {
    for (const [code, queries] of Object.entries({
      invalid_query: ['https://example.com/', 'me@example.com', '1.2.3', '10.0.0.0/33', ''],
      no_rdap_service: ['example.no-such-tld', 'no-such-tld'],
      not_found: [
        '10.0.0.1',
        'AS64512',
        'fe80::1',
        'x.invalid',
        'localhost',
        'no-such-name.com',
        ...faulty('404', 'rdap-404', 'html-404'),
      ],
      upstream_rate_limited: faulty('429'),
      upstream_error: [
        ...faulty(
          '400',
          '401',
          '403',
          '500',
          '501',
          '503',
          '204',
          'html',
          'not-json',
          'empty',
          'cut-off',
          'large',
          'endless',
        ),
        ...faulty(
          'other-class',
          'other-object',
          'redirect-other',
          'redirect-twice',
          'deep',
          'gzip-bomb',
          'redirect-unlisted',
          'redirect-private',
          'redirect-loop',
          'private',
          'refused',
        ),
        ...faulty(
          'reset-at-once',
          'closed-without-answer',
          'garbage',
          'bad-header',
          'expired',
          'self-signed',
          'other-name',
        ),
      ],
      upstream_timeout: faulty('hang', 'silent', 'slow-header', 'slow-body', 'no-connection'),
    } satisfies { readonly [Code in ErrorCode]?: readonly string[] }))
      test(`${code} for its causes`, async () => {
        await Promise.all(queries.map((q) => assertRejected(q, code as ErrorCode)));
      });
  });

  test('connects to no non-public address, and prints no request data', async () => {
    assert.deepEqual(await simulated.internet.decoyHits(), []);
    assert.doesNotMatch(simulated.service.printed(), /example|rdap|25\.0\.|unexpected/);
  });
});
