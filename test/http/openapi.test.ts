/** The printed OpenAPI description is valid, whole, and says of each endpoint what its row says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { errors } from '../../src/core/errors.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { openapi } from '../../src/http/openapi.ts';

const base = 'https://seenby.example';
const described = openapi(endpoints);

// biome-ignore lint/suspicious/noExplicitAny: the validator says what it is
const printed = (...given: Parameters<typeof described>): any => JSON.parse(JSON.stringify(described(...given)));
const document = printed(base, null);

test('is valid OpenAPI 3.1, with each kind of contact and without one', async () => {
  for (const contact of [null, { email: 'ops@seenby.example' }, { url: 'https://seenby.example/contact' }]) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(printed(base, contact));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
    assert.deepEqual(printed(base, contact).info.contact, contact ?? undefined);
  }
});

test('has schemas of JSON Schema 2020-12 without a keyword that is none', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  addFormats.default(ajv);
  const $defs = JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'));
  for (const name of Object.keys($defs)) assert.ok(ajv.compile({ $defs, $ref: `#/$defs/${name}` }), name);
});

test('refers to schemas that are there', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to);
  assert.ok(references.length > endpoints.length);
  for (const to of references) {
    const [, name = ''] = to.match(/^#\/components\/schemas\/(\w+)$/) ?? assert.fail(to);
    assert.ok(document.components.schemas[name], to);
  }
});

test('says its versions, its place and whom to ask', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.0.0');
  assert.deepEqual(document.servers, [{ url: base }]);
  assert.deepEqual(document.security, []);
  assert.match(document.info.description, /ask the operator of this service\.$/);
  assert.match(printed(base, { email: 'ops@seenby.example' }).info.description, /ask ops@seenby\.example\.$/);
});

test('describes every endpoint once, with an id that programs can have as a name', () => {
  assert.deepEqual(
    Object.keys(document.paths),
    endpoints.map(({ path }) => path),
  );
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(Object.values);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z]\w*$/i);
});

/** Parameters, and codes by status, as the specification of the service has them. */
const said: Readonly<
  Record<string, readonly [parameters: readonly string[], codes: Readonly<Record<string, readonly string[]>>]>
> = {
  '/ip': [[], { 429: ['rate_limited'], 500: ['internal_error'] }],
  '/json': [['format'], { 400: ['invalid_format'], 429: ['rate_limited'], 500: ['internal_error'] }],
  '/api/rdap': [
    ['q'],
    {
      400: ['invalid_query', 'invalid_target'],
      404: ['not_found', 'no_rdap_service'],
      429: ['rate_limited'],
      500: ['internal_error'],
      502: ['upstream_error', 'upstream_rate_limited'],
      504: ['upstream_timeout'],
    },
  ],
  '/api/headers-check': [
    ['url'],
    {
      400: ['invalid_url', 'invalid_target', 'blocked_address'],
      429: ['rate_limited'],
      500: ['internal_error'],
      502: ['target_unreachable', 'invalid_certificate', 'too_many_redirects'],
      504: ['target_timeout'],
    },
  ],
  '/llms.txt': [[], { 500: ['internal_error'] }],
};

for (const [path, [parameters, codes]] of Object.entries(said)) {
  test(`says what ${path} takes, and how it can fail`, () => {
    const { get } = document.paths[path];
    assert.deepEqual(
      get.parameters.map(({ name }: { name: string }) => name),
      parameters,
    );
    const { 200: answered, ...failed } = get.responses;
    assert.ok(answered);
    assert.deepEqual(Object.keys(failed), Object.keys(codes));
    for (const [status, response] of Object.entries<typeof answered>(failed)) {
      const { schema } = response.content['application/json'];
      assert.equal(schema.$ref, '#/components/schemas/Error');
      assert.deepEqual(schema.properties.error.enum, codes[status]);
      for (const code of codes[status] ?? []) assert.ok(response.description.includes(`\`${code}\``));
      assert.equal(response.headers?.['Retry-After'] !== undefined, status === '429');
    }
  });
}

test('knows every error code', () => {
  assert.deepEqual(document.components.schemas.Error.properties.error.enum, Object.keys(errors));
});

test('describes the tool server as what takes a POST', () => {
  assert.deepEqual(Object.keys(document.paths['/mcp']), ['post']);
});
