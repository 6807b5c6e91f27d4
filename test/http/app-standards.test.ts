/** Headers and documents that generic clients read: rate limits, links and catalogs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { type Endpoint, handlesGet } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';
import { documents } from './descriptions/openapi-documents.ts';

const decision = { isAllowed: true, remaining: 7, resetSeconds: 42 };
const rejected = { isAllowed: false, remaining: 0, resetSeconds: 42 };
const publicUrl = 'https://seenby.example';

async function request(
  path: string,
  changed: { publicUrl?: string | null; isAllowed?: boolean; method?: string } = {},
) {
  const { isAllowed = true, method = 'GET', ...deployment } = changed;
  const app = createApp({ publicUrl, contact: null, ...deployment });
  const platform = platformOf({ limit: () => (isAllowed ? decision : rejected) });
  const [pathname = '', query = ''] = path.split('?');
  const headers = { 'user-agent': 'test' };
  const response = await app({ ...seenAll, path: pathname, query, method, headers }, platform, noBody);
  return { ...response, headers: { ...response.headers, ...response.ownHeaders } };
}

const json = ({ body }: HttpResponse) => JSON.parse(`${body}`);

/** Counted responses that are JSON which programs read. */
const stated = ({ kind, dialect }: Endpoint): boolean =>
  kind === 'resource' ||
  kind === 'test' ||
  kind === 'lookup' ||
  dialect?.mediaType.startsWith('application/json') === true;

test('responses of resources, tests, lookups and JSON of other services state the limits, and others do not', async () => {
  for (const endpoint of endpoints.filter(({ path }) => !path.includes('{'))) {
    const { headers } = await request(endpoint.path, { method: endpoint.kind === 'mcp' ? 'POST' : 'GET' });
    assert.equal(headers.RateLimit !== undefined, stated(endpoint), endpoint.path);
    assert.equal(headers['RateLimit-Policy'] !== undefined, stated(endpoint), endpoint.path);
    const exposed = headers['Access-Control-Expose-Headers'];
    const expected = endpoint.kind === 'mcp' ? 'Mcp-Session-Id' : 'Retry-After';
    assert.equal(exposed, stated(endpoint) ? 'Retry-After, RateLimit, RateLimit-Policy' : expected, endpoint.path);
  }
});

test('errors state the limits too, above all the one that a limit causes', async () => {
  const limited = await request('/json', { isAllowed: false });
  assert.deepEqual([limited.status, limited.headers.RateLimit], [429, '"general";r=0;t=42']);
  assert.equal(limited.headers['Retry-After'], '60');
  const invalid = await request('/json?format=xml');
  assert.deepEqual([invalid.status, invalid.headers.RateLimit], [400, '"general";r=7;t=42']);
  for (const path of ['/ip', '/nope', '/healthz'])
    assert.equal((await request(path, { isAllowed: false })).headers.RateLimit, undefined, path);
});

/** Whether the description declares a field of a response of this endpoint. */
function isDeclared(path: string, status: number, field: string): boolean {
  for (const { paths, components } of documents) {
    const described = paths[path]?.get?.responses[status];
    const response = described?.$ref === undefined ? described : components.responses[described.$ref.split('/').at(-1)];
    if (response !== undefined) return response.headers?.[field] !== undefined;
  }
  return assert.fail(`${path} ${status} is not described`);
}

test('OpenAPI declares the limits on every response that states them, and on no other', async () => {
  const statuses = new Set<number>();
  for (const endpoint of endpoints.filter(handlesGet))
    for (const isAllowed of [true, false])
      for (const query of ['', '?format=xml', '?q=%00', '?name=%00', '?ip=10.0.0.1']) {
        const path = endpoint.path.replace('{ip}', '10.0.0.1').replace('{port}', '443');
        const { status, headers } = await request(path + query, { isAllowed });
        if (!stated(endpoint)) continue;
        statuses.add(status);
        for (const field of ['RateLimit', 'RateLimit-Policy'])
          assert.equal(
            isDeclared(endpoint.path, status, field),
            headers[field] !== undefined,
            `${path}${query} ${status}`,
          );
      }
  assert.deepEqual([...statuses].sort(), [200, 400, 404, 429]);
  for (const { path } of endpoints.filter((each) => handlesGet(each) && !stated(each)))
    assert.equal(isDeclared(path, 200, 'RateLimit'), false, path);
});

test('a request that names another address states the rate of lookups', async () => {
  for (const [path, rate] of [
    ['/as/echoip/json', 'general'],
    ['/as/echoip/json?ip=', 'general'],
    ['/as/echoip/json?ip=8.8.8.8', 'lookup'],
    ['/as/ipinfo/8.8.8.8', 'lookup'],
    ['/api/dns', 'lookup'],
  ])
    assert.equal((await request(path ?? '')).headers.RateLimit, `"${rate}";r=7;t=42`, path ?? '');
});

test('the start page, /json and the documentation link their descriptions', async () => {
  const described = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';
  for (const path of ['/', '/json', '/docs']) {
    const link = path === '/' ? `${described}, </.well-known/api-catalog>; rel="api-catalog"` : described;
    assert.equal((await request(path)).headers.Link, link, path);
    assert.equal((await request(path, { publicUrl: null })).headers.Link, link, path);
  }
  for (const path of ['/ip', '/geo', '/llms.txt', '/as/plain'])
    assert.equal((await request(path)).headers.Link, undefined);
});

test('the API catalog names documents that exist', async () => {
  const path = '/.well-known/api-catalog';
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await request(path, { method });
    assert.equal(status, 200);
    assert.equal(
      headers['Content-Type'],
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    assert.equal(headers.Link, `<${path}>; rel="api-catalog"`);
  }
  const { linkset } = json(await request(path));
  assert.deepEqual(
    linkset.map(({ anchor }: { anchor: string }) => anchor),
    [`${publicUrl}/`, `${publicUrl}/mcp`],
  );
  for (const { anchor: _, ...relations } of linkset)
    for (const { href, type } of Object.values<{ href: string; type: string }[]>(relations).flat()) {
      const { pathname, origin } = new URL(href);
      const target = await request(pathname);
      assert.deepEqual([origin, target.status], [publicUrl, 200], href);
      assert.ok(target.headers['Content-Type']?.startsWith(type), href);
    }
});

/** What the registry's schema of 2025-12-11 states about the members that this service sends. */
const serverSchema = {
  type: 'object',
  required: ['name', 'description', 'version'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+' },
    websiteUrl: { type: 'string', format: 'uri' },
    icons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['src'],
        additionalProperties: false,
        properties: {
          src: { type: 'string', format: 'uri', maxLength: 255, pattern: '^https://' },
          mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
          sizes: { type: 'array', items: { type: 'string', pattern: '^(\\d+x\\d+|any)$' } },
        },
      },
    },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: { type: { const: 'streamable-http' }, url: { type: 'string', pattern: '^https?://[^\\s]+$' } },
      },
    },
  },
};

test('server.json fits the schema of the registry, and has the name and version of the running server', async () => {
  const entry = json(await request('/server.json'));
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  const validate = ajv.compile(serverSchema);
  assert.ok(validate(entry), ajv.errorsText(validate.errors));
  const card = json(await request('/mcp/server-card'));
  for (const key of ['name', 'title', 'version', 'description', 'icons', 'websiteUrl'])
    assert.deepEqual(entry[key], card[key], key);
  assert.equal(entry.name, 'example.seenby/seenby');
  assert.deepEqual(entry.remotes, [{ type: 'streamable-http', url: `${publicUrl}/mcp` }]);
});
