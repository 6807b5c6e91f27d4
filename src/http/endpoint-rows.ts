/** Builders for rows in the list of endpoints, one per kind. */
import * as z from 'zod';
import type { ObservedRequest } from '../core/observed.ts';
import type { RequestContext } from '../core/request-context.ts';
import { flatten, toJson, toLine } from '../core/text.ts';
import type { DialectRow } from '../dialects/dialect.ts';
import { mcpPath } from '../mcp/server-info.ts';
import type { Tool } from '../mcp/tool.ts';
import { addressPart, type Endpoint, type Renderer } from './endpoint.ts';
import { generalRates, lookupRates } from './lookup-endpoints.ts';
import { errorPage } from './page/error.ts';
import { namedAddress } from './route.ts';

export function defineAddress(path: string, summary: string, render: Endpoint['render']): Endpoint {
  return { kind: 'address', path, summary, rates: generalRates, render };
}

type Derive<Value> = (observed: ObservedRequest, context: RequestContext) => Value;

interface Resource<Schema extends z.ZodObject> {
  readonly schema: Schema;
  readonly derive: Derive<z.infer<Schema>>;
  readonly toText?: (resource: z.infer<Schema>) => string;
  readonly otherFormat?: string;
}

export function defineResource<Schema extends z.ZodObject>(
  path: string,
  summary: string,
  { schema, derive, toText = flatten, otherFormat = 'one "key: value" line per field' }: Resource<Schema>,
): Endpoint {
  const render: Endpoint['render'] = {
    json: (context) => toJson(derive(context.observed, context)),
    text: (context) => toText(derive(context.observed, context)),
  };
  return { kind: 'resource', path, summary, rates: generalRates, schema, otherFormat, render };
}

type ValueRow = Pick<Endpoint, 'path'> &
  Partial<Pick<Endpoint, 'rates' | 'errors'>> & {
    /** The key of its JSON. */
    readonly key: string;
    readonly field: z.ZodType;
    readonly derive: Derive<unknown>;
  };

/** One value, as a line of text or as JSON with one key; text unless JSON is preferred. */
export function defineValue({ key, field, derive, ...row }: ValueRow): Endpoint {
  const renderer =
    (toBody: (result: unknown) => string): Renderer =>
    (context) => {
      const result = derive(context.observed, context);
      return result instanceof Promise ? result.then(toBody) : toBody(result);
    };
  return {
    kind: 'value',
    rates: generalRates,
    summary: field.description ?? '',
    schema: z.object({ [key]: field }),
    otherFormat: 'an object with one key',
    ...row,
    render: { text: renderer(toLine), json: renderer((result) => toJson({ [key]: result })) },
  };
}

/** A path of another service; a request that names an address is a lookup. */
export function dialectEndpointOf(dialect: DialectRow): Endpoint {
  const { path, summary, addressParameter, parameters = [] } = dialect;
  const isLookup = path.includes(addressPart);
  return {
    kind: 'dialect',
    ...{ path, summary, dialect, render: {} },
    rates: isLookup ? lookupRates : generalRates,
    ratesOf: ({ observed }) => (namedAddress(dialect, observed) === null ? generalRates : lookupRates),
    errors: [
      ...(parameters.some(({ name }) => name === 'callback') ? (['invalid_query'] as const) : []),
      ...(isLookup || addressParameter !== undefined ? (['no_database'] as const) : []),
    ],
  };
}

export function defineDocument(path: string, summary: string, render: Endpoint['render']): Endpoint {
  const errorRenderer = 'html' in render ? { renderError: errorPage } : {};
  return { kind: 'document', path, summary, rates: [], isConstant: true, render, ...errorRenderer };
}

/** A document that contains the URL of the service. */
export function defineSiteDocument(path: string, summary: string, render: Endpoint['render']): Endpoint {
  return { ...defineDocument(path, summary, render), namesService: true };
}

export function defineProbe(path: string, summary: string, render: Endpoint['render']): Endpoint {
  return { kind: 'probe', path, summary, rates: [], render };
}

/** The MCP server with these tools. */
export function mcpEndpointOf(tools: readonly Tool[]): Endpoint {
  const summary = 'MCP server (Model Context Protocol, Streamable HTTP): POST JSON-RPC messages';
  return { kind: 'mcp', path: mcpPath, summary, rates: [], render: {}, tools };
}
