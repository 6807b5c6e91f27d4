/** The Worker's service: bindings, variables, logs, cached bootstrap files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { rates, windowSeconds } from '../../../src/core/limits.ts';
import type { IncomingRequest } from '../../../src/edges/cloudflare/observe.ts';
import { createService, type Environment } from '../../../src/edges/cloudflare/service.ts';
import type { Info } from '../../../src/resources/info.ts';
import { austin, requestOf } from './requests.ts';

const iana = { services: [[['com'], ['https://93.184.216.34/com/']]] };

/** Creates a service with these bindings; `open` starts an isolate that shares its cache. */
function runtime(environment: Environment = {}) {
  const requested: string[] = [];
  const lines: string[] = [];
  const cache = new Map<string, Response>();
  const work: Promise<unknown>[] = [];
  const open = () => {
    const service = createService(environment, {
      send: async (input) => {
        requested.push(String(input));
        return String(input).includes('93.184.216.34')
          ? Response.json(record, { headers: { 'content-type': 'application/rdap+json' } })
          : Response.json(iana);
      },
      openCache: async () => ({
        match: async (url) => cache.get(url)?.clone(),
        put: async (url, response) => void cache.set(url, response),
      }),
      log: (line) => lines.push(line),
    });
    return (request: IncomingRequest) => service(request, { waitUntil: (promise) => work.push(promise) });
  };
  return { open, requested, lines, cache, work };
}

const record = { objectClassName: 'domain', ldhName: 'example.com' };

const call = (path: string, changed: RequestInit = {}) => {
  const url = `https://seenby.example${path}`;
  return Object.assign(new Request(url, { headers: { 'cf-connecting-ip': '203.0.113.9' }, ...changed }), {
    cf: austin,
  });
};

test('counts against the smaller rate first, and against no other after a rejection', async () => {
  const spent: [string, string][] = [];
  const limiter = (name: string, success: boolean) => ({
    limit: async ({ key }: { key: string }) => {
      spent.push([name, key]);
      return { success };
    },
  });
  const environment = { RATE_GENERAL: limiter('general', true), RATE_LOOKUP: limiter('lookup', false) };
  const send = runtime(environment).open();
  assert.equal((await send(call('/ip'))).status, 200);
  const rejected = await send(call('/api/rdap?q=example.com'));
  assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [429, '60']);
  assert.deepEqual(
    spent.map(([name]) => name),
    ['general', 'lookup'],
  );
});

test('counts tool calls under their own binding', async () => {
  const RATE_TOOLS = { limit: async () => ({ success: false }) };
  const response = await runtime({ RATE_TOOLS }).open()(
    call('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"parse_ua"}}',
    }),
  );
  assert.equal(response.status, 200);
  assert.equal(JSON.parse(await response.text()).result.isError, true);
});

test('uses the same key for a client in every process of a deployment, and another in other deployments', async () => {
  const keys: string[] = [];
  const RATE_GENERAL = {
    limit: async ({ key }: { key: string }) => {
      keys.push(key);
      return { success: true };
    },
  };
  for (const id of ['one', 'one', 'other']) await runtime({ RATE_GENERAL, VERSION: { id } }).open()(call('/ip'));
  const [first, same, other] = keys;
  assert.deepEqual([first === same, first === other], [true, false]);
  assert.match(first ?? '', /^[\w+/]{43}=$/);
});

test('counts responses by endpoint and status, without client data', async () => {
  const points: unknown[] = [];
  const send = runtime({ CALLS: { writeDataPoint: (point) => points.push(point) } }).open();
  for (const path of ['/json?secret', '/nope-secret']) await send(call(path));
  assert.deepEqual(points, [
    { indexes: ['/json'], blobs: ['/json', '200'], doubles: [1] },
    { indexes: ['unknown'], blobs: ['unknown', '404'], doubles: [1] },
  ]);
});

test('reads its settings from variables', async () => {
  const { open, lines } = runtime({ PUBLIC_URL: 'https://public.example', SIMULATED: 'true' });
  const { meta } = (await (await open()(call('/json'))).json()) as Info;
  assert.deepEqual(meta, {
    docs: 'https://public.example/docs',
    privacy: 'https://public.example/privacy',
    simulated: true,
  });
  assert.deepEqual(lines, []);
});

test('logs an invalid variable, and responds with internal_error', async () => {
  const { open, lines } = runtime({ PUBLIC_URL: 'ftp://public.example' });
  const response = await open()(call('/json'));
  assert.equal(response.status, 500);
  assert.equal(((await response.json()) as { error: string }).error, 'internal_error');
  assert.match(lines.join('\n'), /^seenby: PUBLIC_URL: must be [^\n]+$/);
});

test('logs the place of an internal error, without request data', async () => {
  const limit = () => Promise.reject(new Error('canary'));
  const { open, lines } = runtime({ RATE_GENERAL: { limit } });
  const response = await open()(call('/json?canary'));
  assert.equal(response.status, 500);
  assert.match(lines.join('\n'), /^unexpected Error/);
  assert.doesNotMatch(lines.join('\n') + (await response.text()), /canary/);
});

test('responds to HEAD with the length of the omitted body', async () => {
  const send = runtime().open();
  const head = await send(call('/ip', { method: 'HEAD' }));
  const get = await send(call('/ip'));
  assert.deepEqual([head.headers.get('content-length'), await head.text()], [String((await get.text()).length), '']);
});

test('responds to a truncated body with an error', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  const headers = { 'content-type': 'application/json' };
  const response = await runtime().open()(
    call('/mcp', { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
  );
  assert.equal(response.status, 408);
});

test('discards a body that is too large, up to a bound', async () => {
  const headers = { 'content-type': 'application/json' };
  const piece = new Uint8Array(65_536);
  for (const [sentBytes, readBytes] of [
    [1_000_000, 1_048_576],
    [Number.POSITIVE_INFINITY, 8_388_608],
  ] as const) {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (pulled >= sentBytes) return controller.close();
        pulled += piece.length;
        controller.enqueue(piece);
      },
    });
    const request = call('/mcp', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
    assert.equal((await runtime().open()(request)).status, 413);
    assert.ok(Math.abs(pulled - readBytes) <= 2 * piece.length, `${pulled}`);
  }
});

test('fetches a bootstrap file once for all isolates', async () => {
  const { open, requested, cache, work } = runtime();
  const one = open();
  const other = open();
  for (const send of [one, one, other]) {
    const response = await send(call('/api/rdap?q=example.com'));
    assert.equal(response.status, 200, await response.clone().text());
    await Promise.all(work);
  }
  assert.deepEqual(
    requested.filter((url) => url.includes('iana.org')),
    ['https://data.iana.org/rdap/dns.json'],
  );
  assert.equal(cache.get('https://data.iana.org/rdap/dns.json')?.headers.get('cache-control'), 'max-age=3600');
});

test('works without cf, with null values', async () => {
  const { network } = (await (await runtime().open()(requestOf())).json()) as Info;
  assert.deepEqual(new Set(Object.values(network)), new Set([null]));
});

test('without databases of IP addresses, redirects from the lookup of one, and names no source of such data', async () => {
  const send = runtime().open();
  const read = async (path: string) => (await send(call(path, { headers: { accept: 'text/html' } }))).text();
  const instead = await send(call('/lookup/ip?q=8.8.8.8'));
  assert.deepEqual([instead.status, instead.headers.get('location')], [303, '/lookup/rdap?q=8.8.8.8']);
  const noDatabase = await send(call('/api/ip?q=8.8.8.8'));
  assert.deepEqual([noDatabase.status, ((await noDatabase.json()) as { error: string }).error], [404, 'no_database']);
  const report = await read('/lookup/domain?name=example.com');
  assert.match(report, /counts as 3 lookups/);
  assert.doesNotMatch(await read('/llms.txt'), /\/api\/ip\b/);
  for (const page of [await read('/'), report, await read('/privacy'), await read('/llms.txt')])
    assert.doesNotMatch(page, /DB-IP|Route Views|href="\/lookup\/ip"|panel-ip|lookup\/domain\/address/);
});

test('states the limits of the bindings, as the variables name them, and none without a binding', async () => {
  const binding = { limit: async () => ({ success: true }) };
  for (const [environment, expected] of [
    [{}, /^- There are no rate limits\.$/m],
    [{ RATE_LOOKUP: binding }, /^- Limits .+ seconds: lookup: 10 lookups/m],
    [{ RATE_LOOKUP: binding, RATE_LIMIT_LOOKUP: '25' }, /^- Limits .+ seconds: lookup: 25 lookups/m],
  ] as const)
    assert.match(await (await runtime(environment).open()(call('/llms.txt'))).text(), expected);
});

test("configures the service's rates", () => {
  const text = readFileSync(new URL('../../../wrangler.jsonc', import.meta.url), 'utf8');
  const found = [...text.matchAll(/"name": "RATE_(\w+)".*"limit": (\d+), "period": (\d+)/g)];
  assert.deepEqual(
    Object.fromEntries(found.map(([, name = '', limit, period]) => [name.toLowerCase(), [limit, period]])),
    Object.fromEntries(
      Object.entries(rates).map(([name, { perWindow }]) => [name, [String(perWindow), String(windowSeconds)]]),
    ),
  );
});
