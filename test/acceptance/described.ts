/** Holds every answer of a client against the service's own OpenAPI description. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Client, Reply } from './client.ts';

type Responses = Readonly<
  Record<string, { readonly headers?: object; readonly content: Readonly<Record<string, unknown>> }>
>;

interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly responses: Responses } }>>;
}

/** The clients, each of whose answers to a GET has to be one that the description knows. */
export async function described(clients: readonly Client[]): Promise<Client[]> {
  const [first] = clients;
  assert.ok(first);
  const description: Description = JSON.parse((await first.ask('/openapi.json')).body);
  // The description as a whole is no schema: its keywords are OpenAPI's.
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(description, 'openapi');
  return clients.map((client) => ({
    ...client,
    async ask(target, ask = {}) {
      const reply = await client.ask(target, ask);
      const path = target.replace(/\?.*/, '');
      const operation = description.paths[path]?.get;
      if (operation !== undefined && (ask.method ?? 'GET') === 'GET')
        assertDescribed(ajv, path, operation.responses, reply);
      return reply;
    },
  }));
}

function assertDescribed(ajv: Ajv2020, path: string, responses: Responses, { status, headers, body }: Reply): void {
  const response = responses[status] ?? assert.fail(`${path} answers ${status}, which is not described`);
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  assert.ok(mediaType in response.content, `${path} answers ${status} as ${mediaType}, which is not described`);
  for (const name of Object.keys(response.headers ?? {})) assert.ok(headers[name.toLowerCase()], `${path} ${name}`);
  const pointer = ['', 'paths', path, 'get', 'responses', String(status), 'content', mediaType, 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = ajv.getSchema(`openapi#${pointer}`) ?? assert.fail(pointer);
  assert.ok(
    validate(mediaType.endsWith('json') ? JSON.parse(body) : body),
    `${path} ${ajv.errorsText(validate.errors)}`,
  );
}
