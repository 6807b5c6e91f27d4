/** Builders for rows in the list of endpoints, one per kind. */
import type * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import type { RequestContext } from '../core/request-context.ts';
import { flatten, toJson, toLine } from '../core/text.ts';
import { type Lookup, readLookupQuery } from '../lookups/lookup.ts';
import { isOwnRequest } from '../lookups/outbound.ts';
import { createMcpServer } from '../mcp/server.ts';
import { documentationUrl, mcpPath } from '../mcp/server-info.ts';
import type { Tool } from '../mcp/tool.ts';
import type {
  Bytes,
  CustomEndpoint,
  DocumentEndpoint,
  LookupEndpoint,
  LookupPageEndpoint,
  ProbeEndpoint,
  ResourceEndpoint,
  ValueEndpoint,
} from './endpoint.ts';
import { isOwnRequestOfVisitor } from './fetch-metadata.ts';
import type { Format } from './negotiate.ts';
import { type Outcome, renderLookupPage, renderResult } from './page/lookup/page.ts';

interface ResourceRow<Schema extends z.ZodObject> extends Pick<ResourceEndpoint, 'path' | 'summary'> {
  readonly schema: Schema;
  readonly derive: (context: RequestContext) => z.infer<Schema>;
  /** Its text form, if that is not `flatten`. */
  readonly toText?: (value: z.infer<Schema>) => string;
  readonly textSummary?: string;
}

export function resource<Schema extends z.ZodObject>(row: ResourceRow<Schema>): ResourceEndpoint {
  const { derive, toText = flatten, textSummary = 'one "key: value" line per field', ...described } = row;
  return {
    kind: 'resource',
    ...described,
    textSummary,
    render: { json: (context) => toJson(derive(context)), text: (context) => toText(derive(context)) },
  };
}

interface ValueRow<Schema extends z.ZodObject>
  extends Pick<ValueEndpoint, 'path' | 'summary'>,
    Partial<Pick<ValueEndpoint, 'rates' | 'errors'>> {
  /** An object with one key. */
  readonly schema: Schema;
  readonly derive: (context: RequestContext) => z.infer<Schema> | Promise<z.infer<Schema>>;
}

export function value<Schema extends z.ZodObject>({ derive, ...row }: ValueRow<Schema>): ValueEndpoint {
  const renderer = (print: (result: z.infer<Schema>) => string) => (context: RequestContext) => {
    const result = derive(context);
    return result instanceof Promise ? result.then(print) : print(result);
  };
  const toText = (result: z.infer<Schema>): string => toLine(Object.values<unknown>(result)[0]);
  return {
    kind: 'value',
    rates: ['general'],
    errors: [],
    ...row,
    render: { text: renderer(toText), json: renderer(toJson) },
  };
}

export function lookupEndpoint(lookup: Lookup): LookupEndpoint {
  const { path, summary } = lookup;
  const render = async (context: RequestContext) =>
    toJson(await lookUp(lookup, new URLSearchParams(context.observed.query), context));
  return { kind: 'lookup', path, summary, lookup, render: { json: render } };
}

async function lookUp(lookup: Lookup, sent: URLSearchParams, context: RequestContext): Promise<object> {
  // A request of our own: the target was this service under another name.
  if (isOwnRequest(context.observed.headers)) throw new ServiceError('invalid_target');
  return lookup.lookUp(readLookupQuery(lookup, sent), context);
}

/** The page of a lookup. */
export function lookupPage(lookup: Lookup): LookupPageEndpoint {
  const { path, title, complete = (typed) => typed } = lookup.page;
  const { parameter, options } = lookup;
  const names = [parameter, ...options].map(({ name }) => name);
  const valuesOf = ({ observed }: RequestContext): URLSearchParams => {
    const sent = [...new URLSearchParams(observed.query)].filter(([name]) => names.includes(name));
    return new URLSearchParams(
      sent.map(([name, value]) => [name, name === parameter.name ? complete(value.trim()) : value]),
    );
  };
  const render = (context: RequestContext, outcome: Outcome): string =>
    renderLookupPage({ lookup, values: valuesOf(context), outcome, site: context });
  return {
    kind: 'page',
    path,
    summary: `Web page of ${lookup.path}: ${title}`,
    lookup,
    render: {
      html: (context) => {
        const values = valuesOf(context);
        if (values.getAll(parameter.name).every((value) => value === '')) return render(context, { kind: 'empty' });
        if (!isOwnRequestOfVisitor(context)) return render(context, { kind: 'waiting' });
        return lookUp(lookup, values, context).then((value) => {
          const result = renderResult(lookup, value, context.platform.now());
          return render(context, { kind: 'result', result, value });
        });
      },
    },
    renderError: (error, context) => render(context, { kind: 'error', ...error }),
  };
}

interface DocumentRow
  extends Pick<DocumentEndpoint, 'path' | 'summary'>,
    Partial<Pick<DocumentEndpoint, 'errors' | 'isDated'>> {
  readonly format: Format;
  readonly render: (context: RequestContext) => string | Bytes;
}

export function document({ format, render, ...row }: DocumentRow): DocumentEndpoint {
  return { kind: 'document', errors: [], isDated: false, ...row, render: { [format]: render } };
}

/** The only method that the MCP server handles. */
const mcpMethod = 'POST';

interface ProbeRow extends Pick<ProbeEndpoint, 'path' | 'summary'>, Partial<Pick<ProbeEndpoint, 'unavailable'>> {
  /** Body of the 200 response. */
  readonly body: string;
}

export function probe({ body, ...row }: ProbeRow): ProbeEndpoint {
  return { kind: 'probe', unavailable: null, ...row, render: { text: () => body } };
}

/** The MCP server with these tools. */
export function mcpEndpoint(tools: readonly Tool[]): CustomEndpoint {
  return {
    kind: 'custom',
    path: mcpPath,
    summary: 'MCP server (Model Context Protocol, Streamable HTTP): POST JSON-RPC messages',
    methods: [mcpMethod],
    explainMethods: (baseUrl) =>
      `This is an MCP endpoint (Streamable HTTP): send JSON-RPC messages with ${mcpMethod}. See ${documentationUrl(baseUrl)}.`,
    cors: {
      // The protocol's, though there are no streams to GET and no sessions to DELETE.
      methods: `${mcpMethod}, GET, DELETE`,
      requestHeaders: 'Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name',
      exposedHeaders: 'Mcp-Session-Id',
    },
    respond: createMcpServer(tools),
  };
}
