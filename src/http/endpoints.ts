/** The list of endpoints, and the builders of its rows: routes, limits, schemas and documentation follow from them. */
import * as z from 'zod';
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { RequestContext } from '../core/request-context.ts';
import { flatten, toJson, toLine } from '../core/text.ts';
import type { DialectRow } from '../dialects/dialect.ts';
import { dialects } from '../dialects/list.ts';
import { confirmedHost, Host } from '../lookups/dns/dns-lookup.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { messageRates } from '../mcp/message.ts';
import { iconPaths, mcpPath } from '../mcp/server-info.ts';
import type { Tool } from '../mcp/tool.ts';
import { tools } from '../mcp/tools.ts';
import { headers, Port, RequestHeaders } from '../resources/connection.ts';
import { Fingerprint, fingerprint } from '../resources/fingerprint.ts';
import { Geo, geo } from '../resources/geo.ts';
import { Info, info } from '../resources/info.ts';
import { RoundTrips, roundTrips } from '../resources/round-trip.ts';
import { TlsConnection, tlsConnection } from '../resources/tls.ts';
import { connectionTests } from './connection-tests.ts';
import {
  apiCatalogPath,
  defineSiteDocument,
  dialectsOpenapiPath,
  discoveryDocuments,
  docsPath,
  openapiPath,
} from './descriptions/discovery.ts';
import { llmsTxt } from './descriptions/llms-txt.ts';
import { dialectsOpenapi, serviceOpenapi } from './descriptions/openapi.ts';
import { dialectLists } from './dialect-lists.ts';
import { addressPart, definer, type Endpoint, generalRates, lookupRates, type Renderer } from './endpoint.ts';
import { lookupEndpoints, portCheckAccess } from './lookup-endpoints.ts';
import { docsPage } from './page/documents/docs.ts';
import { privacyPage } from './page/documents/privacy.ts';
import { errorPage } from './page/error.ts';
import { homePage } from './page/home/home.ts';
import { icon } from './page/icon.ts';
import { namedAddress } from './route.ts';
import { faviconBytes, robotsTxt, securityTxt, securityTxtPath, touchIconBytes } from './site-files.ts';

/** For programs that look for a description (RFC 8631). */
const documentation = [
  { path: openapiPath, rel: 'service-desc' },
  { path: docsPath, rel: 'service-doc' },
];

const defineAddress = definer({ kind: 'address', rates: generalRates });
const defineDocument = definer({ kind: 'document', rates: [], isConstant: true });
const definePage = definer({ kind: 'document', rates: [], isConstant: true, renderError: errorPage });
const defineProbe = definer({ kind: 'probe', rates: [] });

/** Indentation would double the size of the descriptions. */
const toLineOfJson = (description: object): string => `${JSON.stringify(description)}\n`;

const renderAddress = ({ observed }: RequestContext): string => `${observed.ip ?? ''}\n`;

export const endpoints: readonly Endpoint[] = [
  {
    ...defineAddress('/', 'Client IP address; a web page if HTML is requested', {
      text: renderAddress,
      html: homePage,
    }),
    links: [...documentation, { path: apiCatalogPath, rel: 'api-catalog' }],
  },
  defineAddress('/ip', 'Client IP address, always plain text', { text: renderAddress }),
  {
    ...defineResource('/json', 'Everything observed about the request', {
      schema: Info,
      derive: (observed, { baseUrl, platform }) => info(observed, baseUrl, platform.now()),
    }),
    links: documentation,
  },
  defineResource('/geo', 'Location, ASN and organization of the client IP address', { schema: Geo, derive: geo }),
  defineResource('/tls', 'TLS version, cipher and ClientHello fingerprints', {
    schema: TlsConnection,
    derive: tlsConnection,
  }),
  defineResource('/fingerprint', 'TLS, HTTP/2, HTTP/3 and TCP fingerprints: JA3, JA4, Akamai', {
    schema: Fingerprint,
    derive: fingerprint,
  }),
  defineResource('/round-trips', 'Round-trip times of TCP, TLS, HTTP/2 and QUIC', {
    schema: RoundTrips,
    derive: roundTrips,
  }),
  defineResource('/ua', 'Parsed User-Agent; as text, only the header', {
    schema: UserAgent,
    derive: ({ headers }) => userAgent(headers),
    toText: ({ raw }) => raw,
    otherFormat: 'only the header',
  }),
  defineResource('/headers', 'Request headers', { schema: RequestHeaders, derive: headers }),
  ...(
    [
      ['/country', 'countryName'],
      ['/country-code', 'country'],
      ['/city', 'city'],
      ['/region', 'region'],
      ['/asn', 'asn'],
      ['/isp', 'asOrganization'],
      ['/tz', 'timezone'],
    ] as const
  ).map(([path, key]) => defineValue({ path, key, field: Geo.shape[key], derive: (observed) => geo(observed)[key] })),
  defineValue({ path: '/port', key: 'port', field: Port, derive: ({ port }) => port }),
  defineValue({
    path: '/host',
    key: 'host',
    field: Host,
    rates: lookupRates,
    errors: ['upstream_error', 'upstream_timeout', 'overloaded'],
    derive: ({ ip }, { platform, baseUrl }) => confirmedHost(ip, platform, outboundUserAgent(baseUrl)),
  }),
  ...connectionTests,
  ...lookupEndpoints,
  ...dialects.map(dialectEndpointOf),
  ...dialectLists,
  mcpEndpointOf(tools),
  {
    ...definePage(docsPath, 'Documentation: endpoints, limits, errors, every field, how to add the MCP server', {
      html: (site) => docsPage(site, endpoints),
    }),
    links: documentation,
  },
  definePage('/privacy', 'Privacy: how requests are processed, what is stored, what lookups disclose', {
    html: privacyPage,
  }),
  defineDocument(openapiPath, 'OpenAPI 3.1 description of the HTTP endpoints', {
    json: ({ deployment }) => toLineOfJson(serviceOpenapi(endpoints, deployment)),
  }),
  defineDocument(dialectsOpenapiPath, 'OpenAPI 3.1 description of the responses in the shape of other services', {
    json: ({ deployment }) => toLineOfJson(dialectsOpenapi(endpoints, deployment)),
  }),
  defineSiteDocument('/llms.txt', 'Short guide for language models', {
    text: (site) => llmsTxt(endpoints, tools, site),
  }),
  ...discoveryDocuments,
  defineDocument(iconPaths.svg, 'Icon of the service', { svg: () => icon }),
  defineDocument('/favicon.ico', 'Icon of the service, 16 to 48 pixels', { ico: () => faviconBytes }),
  defineDocument(iconPaths.png, 'Icon of the service, 180 pixels', { png: () => touchIconBytes }),
  defineDocument('/robots.txt', 'Rules for crawlers: pages are allowed, lookups are not', {
    text: () => robotsTxt(endpoints),
  }),
  {
    ...defineDocument(securityTxtPath, 'Security contact of the operator (RFC 9116)', {
      text: securityTxt,
    }),
    errors: ['not_found'],
    isConstant: false,
  },
  defineProbe('/healthz', 'Health check: ok while the process responds', { text: () => 'ok\n' }),
  {
    ...defineProbe('/readyz', 'Readiness check: ready, or draining with status 503 while the service stops', {
      text: ({ platform }) => (platform.isDraining() ? 'draining\n' : 'ready\n'),
    }),
    isAvailable: (platform) => !platform.isDraining(),
  },
];

type Derive<Value> = (observed: ObservedRequest, context: RequestContext) => Value | Promise<Value>;

function rendererOf<Value>(derive: Derive<Value>, toBody: (value: Value) => string): Renderer {
  return (context) => {
    const value = derive(context.observed, context);
    return value instanceof Promise ? value.then(toBody) : toBody(value);
  };
}

interface Resource<Schema extends z.ZodObject> {
  readonly schema: Schema;
  readonly derive: Derive<z.infer<Schema>>;
  readonly toText?: (resource: z.infer<Schema>) => string;
  readonly otherFormat?: string;
}

function defineResource<Schema extends z.ZodObject>(
  path: string,
  summary: string,
  { schema, derive, toText = flatten, otherFormat = 'one "key: value" line per field' }: Resource<Schema>,
): Endpoint {
  const render: Endpoint['render'] = {
    json: rendererOf(derive, toJson),
    text: rendererOf(derive, toText),
  };
  return { kind: 'resource', path, summary, rates: generalRates, schema, otherFormat, render };
}

interface ValueRow extends Pick<Endpoint, 'path' | 'errors'>, Partial<Pick<Endpoint, 'rates'>> {
  /** The key of its JSON. */
  readonly key: string;
  readonly field: z.ZodType;
  readonly derive: Derive<unknown>;
}

/** One value, as a line of text or as JSON with one key; text unless JSON is preferred. */
function defineValue({ key, field, derive, ...row }: ValueRow): Endpoint {
  return {
    kind: 'value',
    rates: generalRates,
    summary: field.description ?? '',
    schema: z.object({ [key]: field }),
    otherFormat: 'an object with one key',
    ...row,
    render: { text: rendererOf(derive, toLine), json: rendererOf(derive, (result) => toJson({ [key]: result })) },
  };
}

/** A path of another service; a request that names an address is a lookup. */
function dialectEndpointOf(dialect: DialectRow): Endpoint {
  const { path, summary, addressParameter, parameters = [] } = dialect;
  const isLookup = path.includes(addressPart);
  const row = { kind: 'dialect', path, summary, dialect, render: {} } as const;
  if (dialect.connectsBack) {
    const { errors: ofAccess } = portCheckAccess;
    return { ...row, ...portCheckAccess, errors: [...ofAccess, 'target_unreachable', 'upstream_error', 'overloaded'] };
  }
  return {
    ...row,
    rates: isLookup ? lookupRates : generalRates,
    ratesOf: ({ observed }) => (namedAddress(dialect, observed) === null ? generalRates : lookupRates),
    errors: [
      ...(parameters.some(({ name }) => name === 'callback') ? (['invalid_query'] as const) : []),
      ...(isLookup || addressParameter !== undefined ? (['no_database'] as const) : []),
    ],
  };
}

/** The MCP server with these tools. */
export function mcpEndpointOf(tools: readonly Tool[]): Endpoint {
  const summary = 'MCP server (Model Context Protocol, Streamable HTTP): POST JSON-RPC messages';
  return { kind: 'mcp', path: mcpPath, summary, rates: messageRates, render: {}, tools };
}
