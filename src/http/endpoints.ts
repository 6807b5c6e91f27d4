/** The list of endpoints: route, limit, shapes and documentation follow from its rows. */
import type * as z from 'zod';
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import type { Contact } from '../core/settings.ts';
import { flatten, toJson } from '../core/text.ts';
import { HeaderCheck } from '../lookups/headers-check/header-check.ts';
import { headersCheck } from '../lookups/headers-check/headers-check.ts';
import { bare } from '../lookups/headers-check/target.ts';
import { isOwnRequest, outboundUserAgent } from '../lookups/outbound-user-agent.ts';
import { rdap } from '../lookups/rdap/rdap.ts';
import { RdapResult } from '../lookups/rdap/rdap-result.ts';
import { servedTool } from '../mcp/served-tool.ts';
import { createMcpServer } from '../mcp/server.ts';
import { mcpPath } from '../mcp/server-info.ts';
import { ownTraits, tools } from '../mcp/tools.ts';
import { Geo, geo } from '../resources/geo.ts';
import { Headers, headers } from '../resources/headers.ts';
import { Info, info } from '../resources/info.ts';
import { TlsConnection, tlsConnection } from '../resources/tls.ts';
import { baseOf, type Call, type Endpoint, type Exchange, type Parameter } from './endpoint.ts';
import { llmsTxt } from './llms-txt.ts';
import type { Format } from './negotiate.ts';
import { openapi } from './openapi.ts';
import { docsPage } from './page/docs.ts';
import { homePage } from './page/home.ts';
import { privacyPage } from './page/privacy.ts';
import { earlierServerCard, serverCard } from './server-card.ts';

const mcpServer = createMcpServer(tools.map(servedTool));

export const endpoints: readonly (Endpoint | Exchange)[] = [
  {
    path: '/',
    summary: 'The address of the caller; a page where HTML is asked for',
    rates: ['general'],
    parameter: null,
    errors: [],
    schema: null,
    print: { text: address, html: home },
  },
  {
    path: '/ip',
    summary: 'The address of the caller, always as text',
    rates: ['general'],
    parameter: null,
    errors: [],
    schema: null,
    print: { text: address },
  },
  resource('/json', 'Everything the service sees of the request', Info, everything),
  resource('/geo', 'Location and network of the caller', Geo, ({ observed }) => geo(observed)),
  resource('/tls', 'The TLS connection and its ClientHello', TlsConnection, ({ observed }) => tlsConnection(observed)),
  resource(
    '/ua',
    'The User-Agent, parsed; as text the header alone',
    UserAgent,
    ({ observed }) => userAgent(observed.headers),
    ({ raw }) => raw,
  ),
  resource('/headers', 'The headers of the request', Headers, ({ observed }) => headers(observed)),
  lookup(
    '/api/rdap',
    'Registration data of a domain, an IP address or network, or an autonomous system',
    {
      name: 'q',
      is: 'Domain name, IP address, CIDR block or AS number',
      example: 'example.com',
      error: 'invalid_query',
    },
    ['not_found', 'no_rdap_service', 'upstream_error', 'upstream_rate_limited', 'upstream_timeout'],
    RdapResult,
    (q, { platform, ...call }) => rdap(q, platform, outboundUserAgent(baseOf(call))),
  ),
  lookup(
    '/api/headers-check',
    'Response headers of a public site, and the grade of their security',
    { name: 'url', is: 'http or https URL on port 80 or 443', example: 'https://example.com/', error: 'invalid_url' },
    ['blocked_address', 'target_unreachable', 'invalid_certificate', 'too_many_redirects', 'target_timeout'],
    HeaderCheck,
    (url, { platform, ...call }) =>
      headersCheck(url, platform, { userAgent: outboundUserAgent(baseOf(call)), ownHosts: ownHosts(call) }),
  ),
  {
    path: mcpPath,
    summary: 'The tool server (Model Context Protocol, Streamable HTTP): POST JSON-RPC messages',
    rates: [],
    parameter: null,
    errors: [],
    schema: null,
    print: {},
    methods: ['POST'],
    cors: {
      // As the protocol has them, though there are no streams to GET and no sessions to DELETE.
      methods: 'POST, GET, DELETE',
      requestHeaders: 'Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name',
      exposedHeaders: 'Mcp-Session-Id',
    },
    answer: (call) => mcpServer({ ...call, base: baseOf(call) }),
  },
  document('/docs', 'Documentation: limits, errors, every field, how to add the tool server', 'html', () =>
    docsPage(endpoints, tools),
  ),
  document('/privacy', 'What is done with a request, and what is not', 'html', () => privacyPage),
  document('/openapi.json', 'The HTTP endpoints in OpenAPI 3.1', 'json', () => {
    const described = openapi(endpoints);
    return (base, contact) => toJson(described(base, contact));
  }),
  document(
    '/llms.txt',
    'A short guide for language models',
    'text',
    () => (base, contact) => llmsTxt(endpoints, tools, base, contact),
  ),
  document('/mcp/server-card', 'Card of the tool server (SEP-2127)', 'card', () => (base) => toJson(serverCard(base))),
  document(
    '/.well-known/mcp/server-card.json',
    'The card at its earlier address, with the fields of then (SEP-1649)',
    'json',
    () => (base) => toJson(earlierServerCard(base)),
  ),
];

function address({ observed }: Call): string {
  return `${observed.ip ?? ''}\n`;
}

function home(call: Call): string {
  const { query } = call.observed;
  return homePage({ info: everything(call), traits: ownTraits(call), endpoints, tools, base: baseOf(call), query });
}

/** Hosts that are the service itself: the one set, and the one this caller reached it by. */
function ownHosts({ observed, publicUrl }: Pick<Call, 'observed' | 'publicUrl'>): string[] {
  return [observed.origin, publicUrl ?? observed.origin].map((url) => bare(new URL(url).hostname));
}

function everything({ observed, platform, publicUrl }: Call): Info {
  return info(observed, baseOf({ observed, publicUrl }), platform.now());
}

function resource<Schema extends z.ZodObject>(
  path: string,
  summary: string,
  schema: Schema,
  of: (call: Call) => z.infer<Schema>,
  text: (value: z.infer<Schema>) => string = flatten,
): Endpoint {
  const print = { json: (call: Call) => toJson(of(call)), text: (call: Call) => text(of(call)) };
  return { path, summary, rates: ['general'], parameter: null, errors: [], schema, print };
}

/** Lookups spend from both rates, and have no text form. */
function lookup<Schema extends z.ZodObject>(
  path: string,
  summary: string,
  parameter: Parameter,
  errors: readonly ErrorCode[],
  schema: Schema,
  of: (value: string | null, call: Call) => Promise<z.infer<Schema>>,
): Endpoint {
  const json = async (call: Call): Promise<string> => {
    // A request of our own: the target was this service under another name.
    if (isOwnRequest(call.observed.headers)) throw new ServiceError('invalid_target');
    const [value = null, ...more] = new URLSearchParams(call.observed.query).getAll(parameter.name);
    return toJson(await of(more.length > 0 ? null : value, call));
  };
  return {
    path,
    summary,
    rates: ['general', 'lookup'],
    parameter,
    errors: ['invalid_target', ...errors],
    schema,
    print: { json },
  };
}

/** Says the same to everyone, but for the service's own address. `prepare` runs once, at the first call. */
function document(
  path: string,
  summary: string,
  format: Format,
  prepare: () => (base: string, contact: Contact | null) => string,
): Endpoint {
  let prepared: ReturnType<typeof prepare> | null = null;
  const print = (call: Call): string => {
    prepared ??= prepare();
    return prepared(baseOf(call), call.contact);
  };
  return { path, summary, rates: [], parameter: null, errors: [], schema: null, print: { [format]: print } };
}
