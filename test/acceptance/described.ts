/** Validates every response of a client against the service's own OpenAPI description. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Client, Reply } from './client.ts';

interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required?: true }>>;
  /** Absent from a redirect. */
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get?: { readonly responses: Readonly<Record<string, DescribedResponse | { $ref: string }>> } }
    >
  >;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}

/** Returns clients that validate each response to a GET against the description. */
export async function validateResponses(clients: readonly Client[]): Promise<Client[]> {
  const [first] = clients;
  assert.ok(first);
  const described: Described[] = [];
  for (const document of ['/openapi.json', '/as/openapi.json'])
    described.push(readDescription((await first.request(document)).body));
  return clients.map((client) => ({
    ...client,
    async request(target, options = {}) {
      const reply = await client.request(target, options);
      const path = target.replace(/\?.*/, '');
      if ((options.method ?? 'GET') === 'GET') for (const each of described) assertDescribed(each, path, reply);
      return reply;
    },
  }));
}

interface Described {
  readonly description: Description;
  readonly ajv: Ajv2020;
}

/** By text: services with the same description share its schemas, which take seconds to compile. */
const read = new Map<string, Described>();

function readDescription(text: string): Described {
  const known = read.get(text);
  if (known !== undefined) return known;
  const description: Description = JSON.parse(text);
  // The description itself is not a schema: its keywords are OpenAPI's.
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(description, 'openapi');
  read.set(text, { description, ajv });
  return { description, ajv };
}

/** Passes a path that the description does not contain. */
function assertDescribed({ description, ajv }: Described, path: string, reply: Reply): void {
  const responses = description.paths[path]?.get?.responses;
  if (responses === undefined) return;
  const { status, headers, body } = reply;
  const found =
    responses[status] ?? responses.default ?? assert.fail(`${path} returns ${status}, which is not described`);
  const pointer =
    '$ref' in found ? found.$ref.slice(2).split('/') : ['paths', path, 'get', 'responses', String(status)];
  const response = '$ref' in found ? description.components.responses[pointer.at(-1) ?? ''] : found;
  assert.ok(response !== undefined, `${path} refers to a missing response`);
  for (const [name, { required }] of Object.entries(response.headers ?? {}))
    if (required) assert.ok(headers[name.toLowerCase()], `${path} ${name}`);
  for (const name of ['RateLimit', 'RateLimit-Policy'])
    if (headers[name.toLowerCase()] !== undefined)
      assert.ok(response.headers?.[name], `${path} returns ${status} with ${name}, which is not described`);
  // A redirect.
  if (response.content === undefined) return;
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  if (!(mediaType in response.content)) {
    // The description names another format that a client can request, without a schema.
    assert.ok(response.description.includes(mediaType), `${path} returns ${status} as ${mediaType}`);
    return;
  }
  const schema = ['', ...pointer, 'content', mediaType, 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = ajv.getSchema(`openapi#${schema}`) ?? assert.fail(schema);
  assert.ok(
    validate(mediaType.endsWith('json') ? JSON.parse(body) : body),
    `${path} ${ajv.errorsText(validate.errors)}`,
  );
}
