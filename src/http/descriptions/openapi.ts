/** The OpenAPI 3.1 description of the HTTP endpoints, generated from their list. */
import * as z from 'zod';
import { type ErrorCode, errors, retryAfterOf } from '../../core/errors.ts';
import { describeLimits, type RateName } from '../../core/limits.ts';
import type { Deployment } from '../../core/request-context.ts';
import type { DialectRow } from '../../dialects/dialect.ts';
import { portCheck } from '../../lookups/list.ts';
import { errorStatuses, maxBatch, maxBodyBytes, maxValues } from '../../mcp/message.ts';
import { serverInfo } from '../../mcp/server-info.ts';
import { toolRates } from '../../mcp/tool.ts';
import { isOfDialects } from '../dialect-lists.ts';
import { addressPart, type Endpoint, errorsOf, formatsOf, handlesGet, portPart, statesLimits } from '../endpoint.ts';
import { formatValues, mediaTypes } from '../negotiate.ts';
import { ErrorBody } from '../response.ts';
import { describeMoreRequests, usagePolicy } from '../usage-policy.ts';

/** Changes only if a path or a field is removed or means something else; additions keep it. */
const apiVersion = '1.0.0';

/** Groups of operations, by kind of endpoint. */
const ownRequest = { name: 'Your request', description: 'What the service observes about the request itself' };
const tags = {
  address: ownRequest,
  resource: ownRequest,
  value: ownRequest,
  test: { name: 'Connection tests', description: 'Tests of DNS, and which tests are offered' },
  lookup: { name: 'Lookups', description: 'Queries to registries and sites' },
  page: { name: 'Lookup pages', description: 'Lookups as web pages' },
  dialect: { name: 'Other services', description: 'Responses in the shape of other services, for their clients' },
  mcp: { name: 'MCP', description: 'The MCP server for AI agents' },
  document: { name: 'Documents', description: 'Documentation and discovery' },
  probe: { name: 'Health', description: 'Health checks for orchestrators and load balancers' },
} as const satisfies Record<Endpoint['kind'], object>;

/** Errors of any request, before an endpoint is found and after. */
const postErrors = ['request_timeout', 'headers_too_large', 'internal_error'] as const;
const commonErrors = ['malformed_request', ...postErrors] as const;
/** Errors of every endpoint that arise before a request is counted. */
const uncountedErrors: readonly ErrorCode[] = commonErrors.filter((code) => code !== 'internal_error');

/** The description of the service, without its responses in the shape of other services, which would be half of it. */
export const serviceOpenapi = (endpoints: readonly Endpoint[], deployment: Deployment): object =>
  openapi(
    endpoints.filter((endpoint) => !isOfDialects(endpoint)),
    deployment,
  );

/** The description of the responses in the shape of other services. */
export const dialectsOpenapi = (endpoints: readonly Endpoint[], deployment: Deployment): object =>
  openapi(endpoints.filter(isOfDialects), deployment);

/** The OpenAPI document, the same for every client: without PUBLIC_URL, its URLs are relative ones (OpenAPI 3.1.0, "Relative References in URLs"). */
function openapi(endpoints: readonly Endpoint[], deployment: Deployment): object {
  const { publicUrl, contact } = deployment;
  const components = createComponents(endpoints);
  const paths = endpoints.map((endpoint) => [
    endpoint.path,
    handlesGet(endpoint) ? { get: describeGet(endpoint, components) } : { post: describePost(endpoint, components) },
  ]);
  const docs = `${publicUrl ?? ''}/docs`;
  const limits = `${describeLimits(deployment)} ${describeMoreRequests(deployment)}`.trimEnd();
  return {
    openapi: '3.1.0',
    info: {
      title: serverInfo.title,
      summary: serverInfo.description,
      description: [...Object.values(usagePolicy), generatedClients, limits].join('\n\n'),
      version: apiVersion,
      contact: contact ?? { name: 'Documentation', url: docs },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: docs },
    servers: [{ url: publicUrl ?? '/' }],
    security: [],
    tags: [...new Set(endpoints.map(({ kind }) => tags[kind]))],
    paths: Object.fromEntries(paths),
    components: { schemas: components.schemas, responses: components.responses, headers: rateFields },
  };
}

/** What `describeSuccess` means for them. */
const generatedClients =
  "Generated clients parse the default format of an endpoint, unless their call names another, such as parseAs: 'text' with openapi-fetch.";

const errorName = 'error';

/**
 * Every schema that has an id; `referenceTo` returns the schema of an endpoint's JSON, by its path, or of an error. Errors, which
 * endpoints share, are added to `responses`.
 */
function createComponents(endpoints: readonly Endpoint[]) {
  const byPath = endpoints.flatMap(({ path, schema }) => (schema === undefined ? [] : [[path, schema] as const]));
  const all = z.object({ ...Object.fromEntries(byPath), [errorName]: ErrorBody });
  const together = z.toJSONSchema(all, { override: ({ jsonSchema }) => removeImplied(jsonSchema) });
  const { $defs, properties } = JSON.parse(JSON.stringify(together).replaceAll('"#/$defs/', '"#/components/schemas/'));
  const responses: Record<string, object> = {};
  const referenceTo = (name: string): object => properties[name] ?? { type: 'object' };
  const messages = endpoints.every(handlesGet) ? {} : { JsonRpcMessage: messageSchema };
  return { schemas: { ...$defs, ...messages }, referenceTo, responses };
}
type Components = ReturnType<typeof createComponents>;

/** Removes what another keyword states, or every number in JSON is: a tenth of the description. */
function removeImplied(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Fields that state the limits; without any limit, and on some runtimes, responses have none. */
const rateFields = {
  RateLimit: {
    description:
      'What is left of the strictest limit: r requests for the next t seconds (IETF draft, structured field)',
    schema: { type: 'string' },
    example: '"lookup";r=9;t=58',
  },
  'RateLimit-Policy': {
    description: 'The limits that the request counts against: q requests in w seconds each',
    schema: { type: 'string' },
    example: '"lookup";q=10;w=60, "general";q=60;w=60',
  },
};
const referenceToField = (name: string) => [name, { $ref: `#/components/headers/${name}` }] as const;
const rateFieldReferences = Object.fromEntries(Object.keys(rateFields).map(referenceToField));

/** The responses of these errors by status, which are added to the components; `hasLimits`: whether they state the limits. */
function describeFailures(
  all: readonly ErrorCode[],
  { referenceTo, responses }: Components,
  hasLimits = false,
): object {
  const byStatus = Object.entries(Object.groupBy(all, (code) => errors[code].status));
  const described = byStatus.map(([status, codes = []]) => {
    const isCounted = hasLimits && codes.some((code) => !uncountedErrors.includes(code));
    const name = codes.map(capitalizeWords).join('Or') + (isCounted ? 'Counted' : '');
    responses[name] ??= describeErrors(codes, referenceTo(errorName), isCounted);
    return [status, { $ref: `#/components/responses/${name}` }] as const;
  });
  return Object.fromEntries(described);
}

/** The errors of a page, which people read: those of all statuses together, and one that programs see in any case. */
function describePageFailures({ referenceTo, responses }: Components): object {
  const description = 'An error, as a page; as JSON, if preferred';
  const content = contentOf([mediaTypes.html, mediaTypes.json], referenceTo(errorName));
  responses.ErrorAsPage ??= { description, content };
  responses.RateLimitedAsPage ??= { ...describeErrors(['rate_limited'], referenceTo(errorName), false), content };
  const referenceToResponse = (name: string): object => ({ $ref: `#/components/responses/${name}` });
  return { 429: referenceToResponse('RateLimitedAsPage'), default: referenceToResponse('ErrorAsPage') };
}

function describeGet(endpoint: Endpoint, components: Components): object {
  const { kind, rates, redirectTo, isAvailable, dialect } = endpoint;
  const success = describeSuccess(endpoint, components);
  const hasLimits = statesLimits(endpoint);
  return {
    ...describeOperation(endpoint, 'get', rates),
    parameters: parametersOf(endpoint),
    responses: {
      200: success,
      ...(redirectTo !== undefined && { 303: { description: 'Redirect to the page of the lookup' } }),
      ...(isAvailable !== undefined && { 503: success }),
      ...(kind === 'page'
        ? describePageFailures(components)
        : describeFailures([...errorsOf(endpoint), ...commonErrors], components, hasLimits)),
      ...(dialect !== undefined && describeRejections(dialect, hasLimits)),
    },
  };
}

function describeOperation({ kind, path, summary }: Endpoint, method: string, limits: readonly RateName[]): object {
  const unlimited = kind === 'document' ? 'Its bytes count against the limit on documents.' : 'Not limited.';
  const limit = limits.length === 0 ? unlimited : `Counts against the limits: ${limits.join(', ')}.`;
  return {
    // A name that programs can use: `getApiRdap`.
    operationId: method + (capitalizeWords(path.replace(addressPart, 'of-address')) || 'Home'),
    summary,
    description: limit,
    tags: [tags[kind].name],
  };
}

/** If a client can choose, only the default format is in `content`: otherwise generated clients return a union of both. */
function describeSuccess(endpoint: Endpoint, { referenceTo }: Components): object {
  const { path, summary, otherFormat, dialect } = endpoint;
  const types = dialect
    ? [dialect.mediaType, ...(dialect.otherMediaTypes ?? [])]
    : formatsOf(endpoint).map((format) => mediaTypes[format]);
  const listed = otherFormat === undefined ? types : types.slice(0, 1);
  const others = types.slice(listed.length).map((type) => `; if requested, ${type}: ${otherFormat}`);
  return {
    description: summary + others.join(''),
    ...(statesLimits(endpoint) && { headers: rateFieldReferences }),
    content: contentOf(listed, referenceTo(path)),
  };
}

/** Content of these media types. JSON of another service is described only in the documentation of that service. */
function contentOf(types: readonly string[], json: object = { type: 'object' }): object {
  const contents = types.map((type) => {
    const mediaType = type.replace(/;.*/, '');
    const other = { type: mediaType.endsWith('json') ? 'object' : 'string' };
    return [mediaType, { schema: mediaType === mediaTypes.json ? json : other }];
  });
  return Object.fromEntries(contents);
}

/** The errors of a dialect that the other service has in a form of its own. */
function describeRejections({ path, addressParameter, connectsBack }: DialectRow, hasLimits: boolean): object {
  const status = path.includes(addressPart) ? 404 : 400;
  if (status === 400 && addressParameter === undefined && !connectsBack) return {};
  const subject = connectsBack ? 'This is not a port' : 'No data about this address';
  const headers = hasLimits && { headers: rateFieldReferences };
  return {
    [status]: { description: `${subject}, or another error`, ...headers, content: contentOf([mediaTypes.json]) },
  };
}

/** A parameter, of the query unless `more` names another place. */
const describeParameter = ({ name, description, example }: ParameterText, more: object = {}): object => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
  ...more,
});
type ParameterText = { readonly name: string; readonly description: string; readonly example?: string };

function parametersOf(endpoint: Endpoint): object[] {
  const { kind, path, lookup, otherFormat, dialect, parameters } = endpoint;
  if (parameters !== undefined)
    return parameters.map(({ schema, isRequired, ...text }) =>
      describeParameter(text, { ...(schema && { schema }), ...(isRequired && { required: true }) }),
    );
  if (dialect !== undefined) {
    const address = { name: 'ip', description: 'Public IP address', example: '8.8.8.8' };
    return [
      ...(path.includes(addressPart) ? [describeParameter(address, { in: 'path', required: true })] : []),
      ...(path.includes(portPart) ? [describeParameter(portCheck.parameter, { in: 'path', required: true })] : []),
      ...(dialect.parameters ?? []).map((each) => describeParameter(each)),
    ];
  }
  if (lookup !== undefined)
    return [
      describeParameter(lookup.parameter, { required: kind === 'lookup' }),
      ...lookup.options.map((option) =>
        describeParameter(option, { schema: { type: 'string', enum: option.values, default: option.values[0] } }),
      ),
    ];
  if (otherFormat === undefined) return [];
  const [byDefault] = formatsOf(endpoint);
  const description = `Format of the response; if omitted, Accept decides, and the default is ${byDefault}`;
  return [describeParameter({ name: 'format', description }, { schema: { type: 'string', enum: formatValues } })];
}

function describeErrors(codes: readonly ErrorCode[], schema: object, hasLimits: boolean): object {
  // Codes of one status have the same value.
  const seconds = codes.map(retryAfterOf).find((each) => each !== null);
  const retryAfter = { description: 'Seconds to wait', required: true, schema: { type: 'integer', const: seconds } };
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
    ...((hasLimits || seconds !== undefined) && {
      headers: { ...(hasLimits && rateFieldReferences), ...(seconds !== undefined && { 'Retry-After': retryAfter }) },
    }),
    content: { [mediaTypes.json]: { schema: { ...schema, properties: { error: { enum: codes } } } } },
  };
}

const capitalizeWords = (text: string): string =>
  text.replaceAll(/[\W_]*([^\W_]?)([^\W_]*)/g, (_, first: string, rest: string) => first.toUpperCase() + rest);

/** The MCP specification describes its messages; OpenAPI cannot. */
const messageSchema = {
  type: 'object',
  description: 'A JSON-RPC 2.0 message of the Model Context Protocol',
  required: ['jsonrpc'],
  properties: { jsonrpc: { type: 'string', const: '2.0' } },
};

/** The rates of every message, and those of its tools besides. */
const postRatesOf = ({ rates, tools = [] }: Endpoint): readonly RateName[] => [
  ...new Set([...rates, ...tools.flatMap(({ isLookup }) => toolRates(isLookup))]),
];

/** The operation that takes MCP messages. */
function describePost(endpoint: Endpoint, components: Components): object {
  const reference = { $ref: '#/components/schemas/JsonRpcMessage' };
  const batch = { type: 'array', items: reference, minItems: 1, maxItems: maxBatch };
  const content = { [mediaTypes.json]: { schema: { oneOf: [reference, batch] } } };
  const rejection = { description: 'Rejected before any tool ran', content };
  const description = `At most ${maxBodyBytes} bytes, ${maxValues} values, and ${maxBatch} messages in a batch`;
  return {
    ...describeOperation(endpoint, 'post', postRatesOf(endpoint)),
    requestBody: { description, required: true, content },
    responses: {
      200: { description: 'The response, or the responses to a batch', content },
      202: { description: 'Accepted; no message in it requires a response' },
      // Some generators of clients cannot read a range such as 4XX.
      ...Object.fromEntries([...errorStatuses].map((status) => [status, rejection])),
      ...describeFailures(postErrors, components),
    },
  };
}
