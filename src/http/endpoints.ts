/** The list of endpoints: routes, limits, schemas and documentation follow from its rows. */
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import type { RequestContext } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { dialects } from '../dialects/list.ts';
import { confirmedHost, Host } from '../lookups/dns/reverse.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { iconPaths } from '../mcp/server-info.ts';
import { tools } from '../mcp/tools.ts';
import { Fingerprint, fingerprint } from '../resources/fingerprint.ts';
import { Geo, geo } from '../resources/geo.ts';
import { Headers, headers } from '../resources/headers.ts';
import { Info, info } from '../resources/info.ts';
import { Port } from '../resources/network.ts';
import { TlsConnection, tlsConnection } from '../resources/tls.ts';
import { discoveryDocuments, docsPath, openapiPath } from './descriptions/discovery.ts';
import { llmsTxt } from './descriptions/llms-txt.ts';
import { openapi } from './descriptions/openapi.ts';
import type { Endpoint } from './endpoint.ts';
import {
  defineAddress,
  defineDocument,
  defineProbe,
  defineResource,
  defineSiteDocument,
  defineValue,
  dialectEndpointOf,
  mcpEndpointOf,
} from './endpoint-rows.ts';
import { icon } from './icon.ts';
import { lookupEndpoints } from './lookup-endpoints.ts';
import { docsPage } from './page/documents/docs.ts';
import { privacyPage } from './page/documents/privacy.ts';
import { homePage } from './page/home/home.ts';
import { faviconBytes, robotsTxt, securityTxt, touchIconBytes } from './site-files.ts';

/** For programs that look for a description (RFC 8631). */
const documentation = [
  { path: openapiPath, rel: 'service-desc' },
  { path: docsPath, rel: 'service-doc' },
];

export const endpoints: readonly Endpoint[] = [
  {
    ...defineAddress('/', 'Client IP address; a web page if HTML is requested', {
      text: renderAddress,
      html: homePage,
    }),
    links: documentation,
  },
  defineAddress('/ip', 'Client IP address, always plain text', { text: renderAddress }),
  {
    ...defineResource('/json', 'Everything the service observes about the request', {
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
  defineResource('/fingerprint', 'TLS, HTTP/2, HTTP/3 and TCP fingerprints of the connection: JA3, JA4, Akamai', {
    schema: Fingerprint,
    derive: fingerprint,
  }),
  defineResource('/ua', 'Parsed User-Agent; as text, only the header', {
    schema: UserAgent,
    derive: ({ headers }) => userAgent(headers),
    toText: ({ raw }) => raw,
    otherFormat: 'only the header',
  }),
  defineResource('/headers', 'Request headers', { schema: Headers, derive: headers }),
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
  defineValue({ path: '/port', key: 'port', field: Port.shape.port, derive: ({ port }) => port }),
  defineValue({
    path: '/host',
    key: 'host',
    field: Host.shape.host,
    rates: ['general', 'lookup'],
    errors: ['upstream_error', 'upstream_timeout', 'overloaded'],
    derive: ({ ip }, { platform, baseUrl }) => confirmedHost(ip, platform, outboundUserAgent(baseUrl)),
  }),
  ...lookupEndpoints,
  ...dialects.map(dialectEndpointOf),
  mcpEndpointOf(tools),
  {
    ...defineDocument(docsPath, 'Documentation: endpoints, limits, errors, every field, how to add the MCP server', {
      html: (site) => docsPage(site, endpoints),
    }),
    links: documentation,
  },
  defineDocument('/privacy', 'Privacy: how requests are processed, what is stored, what lookups disclose', {
    html: privacyPage,
  }),
  defineDocument(openapiPath, 'OpenAPI 3.1 description of the HTTP endpoints', {
    json: ({ deployment }) => toJson(openapi(endpoints, deployment)),
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
    ...defineDocument('/.well-known/security.txt', 'Security contact of the operator (RFC 9116)', {
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

function renderAddress({ observed }: RequestContext): string {
  return `${observed.ip ?? ''}\n`;
}
