/** The OpenAPI 3.1 description of the HTTP endpoints, printed from their list. */
import * as z from 'zod';
import { type ErrorCode, errors } from '../core/errors.ts';
import { windowSeconds } from '../core/limits.ts';
import type { Contact } from '../core/settings.ts';
import { maxBatch, maxBodyBytes } from '../mcp/server.ts';
import { serverInfo } from '../mcp/server-info.ts';
import { type Endpoint, errorsOf, prints, takesFormat } from './endpoint.ts';
import { ErrorBody } from './error-body.ts';
import { type Format, formatValues, mediaTypes } from './negotiate.ts';
import { addressOf, moreCalls, terms } from './terms.ts';

const openapiVersion = '3.1.0';
const apiVersion = '1.0.0';

/** Works out first what is the same for every caller: the schemas take half a millisecond. */
export function openapi(endpoints: readonly Endpoint[]): (base: string, contact: Contact | null) => object {
  const { schemas, referenceTo } = components(endpoints);
  const paths = Object.fromEntries(
    endpoints.map((endpoint) => [
      endpoint.path,
      prints(endpoint) ? { get: operation(endpoint, referenceTo) } : { post: exchange(endpoint) },
    ]),
  );
  return (base, contact) => ({
    openapi: openapiVersion,
    info: {
      title: serverInfo.title,
      summary: serverInfo.description,
      description: [...Object.values(terms), `${moreCalls} ${addressOf(contact)}.`].join('\n\n'),
      version: apiVersion,
      ...(contact !== null && { contact }),
    },
    externalDocs: { url: `${base}/docs` },
    servers: [{ url: base }],
    security: [],
    paths,
    components: { schemas },
  });
}

type Schema = Readonly<Record<string, unknown>>;

/** The schema of an endpoint's JSON, by its path, or of an error. */
type ReferenceTo = (name: string) => Schema;

const errorName = 'error';

/** Every schema that has an id. */
function components(endpoints: readonly Endpoint[]): { schemas: Schema; referenceTo: ReferenceTo } {
  const shapes = endpoints.flatMap(({ path, schema }) => (schema === null ? [] : [[path, schema] as const]));
  const together = z.toJSONSchema(z.object({ ...Object.fromEntries(shapes), [errorName]: ErrorBody }));
  const { $defs, properties } = JSON.parse(JSON.stringify(together).replaceAll('"#/$defs/', '"#/components/schemas/'));
  return { schemas: $defs, referenceTo: (name) => properties[name] ?? { type: 'object' } };
}

function operation(endpoint: Endpoint, referenceTo: ReferenceTo): object {
  const { path, summary, print } = endpoint;
  const content = (Object.keys(print) as Format[]).map((format) => {
    const mediaType = mediaTypes[format];
    return [mediaType, { schema: mediaType.endsWith('json') ? referenceTo(path) : { type: 'string' } }];
  });
  const codes = [...errorsOf(endpoint), 'internal_error'] as const;
  const failed = Object.groupBy(codes, (code) => errors[code].status);
  return {
    operationId: operationId('get', path),
    summary,
    parameters: parameters(endpoint),
    responses: {
      200: { description: summary, content: Object.fromEntries(content) },
      ...Object.fromEntries(
        Object.entries(failed).map(([status, codes = []]) => [status, failure(codes, referenceTo(errorName))]),
      ),
    },
  };
}

function parameters(endpoint: Endpoint): object[] {
  const { parameter } = endpoint;
  const given = [];
  if (parameter !== null) {
    const { name, is: description, example } = parameter;
    given.push({ name, in: 'query', required: true, description, schema: { type: 'string' }, example });
  }
  if (takesFormat(endpoint)) {
    const description = 'Without it the Accept header decides';
    given.push({ name: 'format', in: 'query', description, schema: { type: 'string', enum: formatValues } });
  }
  return given;
}

function failure(codes: readonly ErrorCode[], schema: Schema): object {
  const retryAfter = { description: 'Seconds to wait', schema: { type: 'integer', const: windowSeconds } };
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
    ...(codes.includes('rate_limited') && { headers: { 'Retry-After': retryAfter } }),
    content: { [mediaTypes.json]: { schema: { ...schema, properties: { error: { enum: codes } } } } },
  };
}

/** The tool server's messages are those of another protocol, which says more of them than OpenAPI can. */
function exchange({ path, summary }: Endpoint): object {
  const schema = { type: ['object', 'array'], description: 'A message of JSON-RPC 2.0, or a batch of them' };
  const content = { [mediaTypes.json]: { schema } };
  return {
    operationId: operationId('post', path),
    summary,
    requestBody: {
      description: `At most ${maxBodyBytes} bytes, and ${maxBatch} messages in a batch`,
      required: true,
      content,
    },
    responses: {
      200: { description: 'The answer, or the answers to a batch', content },
      202: { description: 'Taken; nothing in it asks for an answer' },
      '4XX': { description: 'Refused before any tool ran', content },
      500: { description: 'Something failed on our side', content },
    },
  };
}

function operationId(method: string, path: string): string {
  return method + path.replaceAll(/\W+(\w?)/g, (_, letter) => letter.toUpperCase());
}
