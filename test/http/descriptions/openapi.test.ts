/** The OpenAPI description is valid and complete, passes both linters, and states for each endpoint what its row states. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ErrorCode, errors, retryAfterOf } from '../../../src/core/errors.ts';
import { dialects } from '../../../src/dialects/list.ts';
import { isOfDialects } from '../../../src/http/dialect-lists.ts';
import { errorsOf, formatsOf, handlesGet } from '../../../src/http/endpoint.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { mediaTypes } from '../../../src/http/negotiate.ts';
import { usagePolicy } from '../../../src/http/usage-policy.ts';
import { site, siteOf } from '../../request-context.ts';
import { contacts, dialectsDocument, document, documents, generate } from './openapi-documents.ts';

test('it is valid OpenAPI 3.1, with each kind of contact and without one', async () => {
  for (const contact of contacts) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(generate(siteOf({ contact }).deployment));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  }
});

test('the description of other services is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(dialectsDocument));
  assert.ok(valid, JSON.stringify(errors));
});

test('it has schemas of JSON Schema 2020-12 without unknown keywords', () => {
  for (const { components } of documents) {
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    addFormats.default(ajv);
    const $defs = JSON.parse(JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'));
    for (const name of Object.keys($defs)) assert.ok(ajv.compile({ $defs, $ref: `#/$defs/${name}` }), name);
  }
});

test('it refers only to components that exist, and to all of them', () => {
  for (const each of documents) {
    const references = new Set(
      [...JSON.stringify(each).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target),
    );
    const components = Object.entries<object>(each.components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual([...references].sort(), components.sort());
  }
});

/** The declarations of the TypeScript that a generator of clients uses: most clients name a type like its component. */
const generator = createRequire(createRequire(import.meta.url).resolve('oazapfts'));

test('no component has the name of a global', () => {
  const declared = ['lib.dom.d.ts', 'lib.es5.d.ts', 'lib.es2015.collection.d.ts'].map((file) =>
    readFileSync(generator.resolve(`typescript/lib/${file}`), 'utf8'),
  );
  const globals = new Set(
    declared.flatMap((text) =>
      [...text.matchAll(/^(?:interface|declare (?:var|class)|type) (\w+)/gm)].map(([, name]) => name),
    ),
  );
  assert.ok(globals.has('Headers') && globals.has('Location') && globals.has('Error') && globals.has('Map'));
  for (const { components } of documents)
    for (const name of Object.values<object>(components).flatMap(Object.keys)) assert.ok(!globals.has(name), name);
});

test('it has at most 130 KB', () => {
  const bytes = Buffer.byteLength(JSON.stringify(document));
  assert.ok(bytes <= 130_000, `${bytes} bytes`);
});

test('without a set URL, its URLs are relative to its own, and it is valid', async () => {
  const relative = generate({ publicUrl: null, contact: null });
  assert.deepEqual([relative.servers, relative.externalDocs], [[{ url: '/' }], { url: '/docs' }]);
  assert.ok((await new Validator().validate(relative)).valid);
});

test('it states its versions, its URL, its terms and its contact', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.0.0');
  assert.deepEqual(document.servers, [{ url: site.baseUrl }]);
  assert.deepEqual(document.security, []);
  for (const sentence of Object.values(usagePolicy)) assert.ok(document.info.description.includes(sentence), sentence);
  assert.match(document.info.description, /contact the operator of this service\.$/);
  const contact = { email: 'ops@seenby.example' };
  const { info } = generate(siteOf({ contact }).deployment);
  assert.match(info.description, /contact ops@seenby\.example\.$/);
  assert.deepEqual(info.contact, contact);
});

test('they describe every endpoint once, with an id that is a valid name in programs', () => {
  assert.deepEqual(
    documents.flatMap(({ paths }) => Object.keys(paths)).sort(),
    endpoints.map(({ path }) => path).sort(),
  );
  assert.ok(Object.keys(dialectsDocument.paths).every((path) => /^\/as(?:\/|$)/.test(path)));
  const operations = documents.flatMap(({ paths }) =>
    Object.values<Record<string, { operationId: string }>>(paths).flatMap(Object.values),
  );
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^(?:get|post)[A-Z]\w*$/);
});

test('it lists every status that messages to the MCP server can get', () => {
  const { responses } = document.paths['/mcp'].post;
  const expected = [200, 202, 400, 403, 404, 406, 408, 413, 415, 429, 431, 500];
  assert.deepEqual(Object.keys(responses).map(Number), expected);
});

/** Errors of any request. */
const common: readonly ErrorCode[] = ['malformed_request', 'request_timeout', 'headers_too_large', 'internal_error'];

for (const endpoint of endpoints.filter((each) => handlesGet(each) && !isOfDialects(each))) {
  const { path } = endpoint;
  test(`it describes parameters, formats and errors of ${path}`, () => {
    const { get } = document.paths[path];
    const { lookup, parameters: own = [] } = endpoint;
    const takesFormat = formatsOf(endpoint).includes('json') && formatsOf(endpoint).includes('text');
    const ofLookup = lookup === undefined ? [] : [lookup.parameter, ...lookup.options].map(({ name }) => name);
    const parameters = [...ofLookup, ...own.map(({ name }) => name), ...(takesFormat ? ['format'] : [])];
    assert.deepEqual(
      get.parameters.map(({ name }: { name: string }) => name),
      parameters,
    );
    const { 200: success, ...failures } = get.responses;
    assert.equal(failures[303] !== undefined, endpoint.redirectTo !== undefined);
    delete failures[303];
    // A health check fails with the same kind of body.
    if (endpoint.isAvailable !== undefined) {
      assert.deepEqual(failures[503], success);
      delete failures[503];
    }
    const formats = takesFormat ? formatsOf(endpoint).slice(0, 1) : formatsOf(endpoint);
    assert.deepEqual(
      Object.keys(success.content),
      formats.map((format) => mediaTypes[format]),
    );
    for (const format of formatsOf(endpoint))
      assert.ok(formats.includes(format) || success.description.includes(mediaTypes[format]));
    // People read a page; its statuses are not told apart.
    if (endpoint.kind === 'page') {
      assert.deepEqual(Object.keys(failures), ['429', 'default']);
      const { content } = document.components.responses[failures.default.$ref.replace(/.*\//, '')];
      assert.deepEqual(Object.keys(content), ['text/html', 'application/json']);
      return;
    }
    const codes = Object.entries<{ $ref: string }>(failures).flatMap(([status, { $ref }]) => {
      const { description, content, headers } = document.components.responses[$ref.replace(/.*\//, '')];
      const { $ref: to, properties } = content['application/json'].schema;
      assert.equal(to, '#/components/schemas/ErrorBody');
      const listed: ErrorCode[] = properties.error.enum;
      const [retryAfter] = listed.map(retryAfterOf).filter((seconds) => seconds !== null);
      assert.equal(headers?.['Retry-After']?.schema.const, retryAfter);
      for (const code of listed) {
        assert.equal(errors[code].status, Number(status));
        assert.ok(description.includes(`\`${code}\`: ${errors[code].message}`));
      }
      return listed;
    });
    assert.deepEqual(codes.sort(), [...errorsOf(endpoint), ...common].sort());
  });
}

for (const { path, mediaType, otherMediaTypes = [], parameters = [], addressParameter, connectsBack } of dialects) {
  test(`it describes parameters, media types and errors of ${path}`, () => {
    const { get } = dialectsDocument.paths[path];
    const named = get.parameters.map((each: { in: string; name: string }) => `${each.in} ${each.name}`);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
    assert.deepEqual(named, [...inPath, ...parameters.map(({ name }) => `query ${name}`)]);
    const { 200: success, ...failures } = get.responses;
    const types = [mediaType, ...otherMediaTypes].map((type) => type.replace(/;.*/, ''));
    assert.deepEqual(Object.keys(success.content), types);
    const hasOwn = addressParameter !== undefined || connectsBack;
    const own = path.includes('{ip}') ? '404' : hasOwn ? '400' : null;
    for (const [status, { $ref, content }] of Object.entries<{ $ref?: string; content?: object }>(failures))
      assert.deepEqual([$ref === undefined, content !== undefined], Array(2).fill(status === own), status);
    for (const status of [400, 429, 500]) assert.ok(status in failures, `${status}`);
  });
}

test('it lists every error code', () => {
  assert.deepEqual(document.components.schemas.ErrorBody.properties.error.enum, Object.keys(errors));
});

test('it describes the MCP server as an endpoint for POST only', () => {
  assert.deepEqual(Object.keys(document.paths['/mcp']), ['post']);
});
