/** The list of endpoints: routes, limits, schemas and documentation follow from its rows. */
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import type { RequestContext, Site } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { dialects } from '../dialects/list.ts';
import { confirmedHost, Host } from '../lookups/dns/reverse.ts';
import { domainParts } from '../lookups/domain-parts.ts';
import { lookups } from '../lookups/list.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { iconPaths } from '../mcp/server-info.ts';
import { ownTraits, tools } from '../mcp/tools.ts';
import { Fingerprint, fingerprint } from '../resources/fingerprint.ts';
import { Geo, geo } from '../resources/geo.ts';
import { Headers, headers } from '../resources/headers.ts';
import { Info, info } from '../resources/info.ts';
import { Port } from '../resources/network.ts';
import { TlsConnection, tlsConnection } from '../resources/tls.ts';
import { apiCatalog, apiCatalogPath, docsPath, openapiPath } from './descriptions/api-catalog.ts';
import { llmsTxt } from './descriptions/llms-txt.ts';
import { openapi } from './descriptions/openapi.ts';
import { aiCatalog, legacyServerCard, registryEntry, serverCard, serverCardPath } from './descriptions/server-card.ts';
import type { Endpoint } from './endpoint.ts';
import {
  defineAddress,
  defineDocument,
  defineProbe,
  defineResource,
  defineValue,
  dialectEndpointOf,
  endpointOf,
  mcpEndpointOf,
} from './endpoint-rows.ts';
import { icon } from './icon.ts';
import { lookupIndexPages, pageOf } from './lookup-pages.ts';
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
  defineAddress({
    path: '/',
    summary: 'Client IP address; a web page if HTML is requested',
    render: { text: renderAddress, html: renderHome },
    links: documentation,
  }),
  defineAddress({ path: '/ip', summary: 'Client IP address, always plain text', render: { text: renderAddress } }),
  defineResource({
    path: '/json',
    summary: 'Everything the service observes about the request',
    schema: Info,
    derive: (_, context) => infoOf(context),
    links: documentation,
  }),
  defineResource({
    path: '/geo',
    summary: 'Location, ASN and organization of the client IP address',
    schema: Geo,
    derive: geo,
  }),
  defineResource({
    path: '/tls',
    summary: 'TLS version, cipher and ClientHello fingerprints',
    schema: TlsConnection,
    derive: tlsConnection,
  }),
  defineResource({
    path: '/fingerprint',
    summary: 'TLS, HTTP/2, HTTP/3 and TCP fingerprints of the connection: JA3, JA4, Akamai',
    schema: Fingerprint,
    derive: fingerprint,
  }),
  defineResource({
    path: '/ua',
    summary: 'Parsed User-Agent; as text, only the header',
    schema: UserAgent,
    derive: ({ headers }) => userAgent(headers),
    toText: ({ raw }) => raw,
    otherFormat: 'only the header',
  }),
  defineResource({ path: '/headers', summary: 'Request headers', schema: Headers, derive: headers }),
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
  ...lookups.map(endpointOf),
  ...[...lookups, ...domainParts].map(pageOf),
  ...lookupIndexPages,
  ...dialects.map(dialectEndpointOf),
  mcpEndpointOf(tools),
  defineDocument({
    path: docsPath,
    summary: 'Documentation: endpoints, limits, errors, every field, how to add the MCP server',
    render: { html: (site) => docsPage(site, endpoints) },
    links: documentation,
  }),
  defineDocument({
    path: '/privacy',
    summary: 'Privacy: how requests are processed, what is stored, what lookups disclose',
    render: { html: privacyPage },
  }),
  defineDocument({
    path: openapiPath,
    summary: 'OpenAPI 3.1 description of the HTTP endpoints',
    render: { json: asJson(({ deployment }) => openapi(endpoints, deployment)) },
  }),
  defineDocument({
    path: '/llms.txt',
    summary: 'Short guide for language models',
    namesService: true,
    render: { text: (site) => llmsTxt(endpoints, tools, site) },
  }),
  defineDocument({
    path: serverCardPath,
    summary: 'MCP server card (SEP-2127)',
    namesService: true,
    render: { card: asJson(serverCard) },
  }),
  defineDocument({
    path: '/.well-known/mcp/server-card.json',
    summary: 'Server card at its legacy path, with SEP-1649 fields',
    namesService: true,
    render: { json: asJson(legacyServerCard) },
  }),
  defineDocument({
    path: '/.well-known/ai-catalog.json',
    summary: 'AI catalog, which names the MCP server card (SEP-2127)',
    namesService: true,
    render: { catalog: asJson(aiCatalog) },
  }),
  defineDocument({
    path: apiCatalogPath,
    summary: 'API catalog (RFC 9727), which names the descriptions of the HTTP endpoints and of the MCP server',
    namesService: true,
    render: { linkset: asJson(apiCatalog) },
    links: [{ path: apiCatalogPath, rel: 'api-catalog' }],
  }),
  defineDocument({
    path: '/server.json',
    summary: 'Description of the MCP server for the MCP registry',
    namesService: true,
    render: { json: asJson(registryEntry) },
  }),
  defineDocument({ path: iconPaths.svg, summary: 'Icon of the service', render: { svg: () => icon } }),
  defineDocument({
    path: '/favicon.ico',
    summary: 'Icon of the service, 16 to 48 pixels',
    render: { ico: () => faviconBytes },
  }),
  defineDocument({
    path: iconPaths.png,
    summary: 'Icon of the service, 180 pixels',
    render: { png: () => touchIconBytes },
  }),
  defineDocument({
    path: '/robots.txt',
    summary: 'Rules for crawlers: pages are allowed, lookups are not',
    render: { text: () => robotsTxt(endpoints) },
  }),
  defineDocument({
    path: '/.well-known/security.txt',
    summary: 'Security contact of the operator (RFC 9116)',
    errors: ['not_found'],
    isConstant: false,
    render: { text: securityTxt },
  }),
  defineProbe({
    path: '/healthz',
    summary: 'Health check: ok while the process responds',
    render: { text: () => 'ok\n' },
  }),
  defineProbe({
    path: '/readyz',
    summary: 'Readiness check: ready, or draining with status 503 while the service stops',
    isAvailable: (platform) => !platform.isDraining(),
    render: { text: ({ platform }) => (platform.isDraining() ? 'draining\n' : 'ready\n') },
  }),
];

function asJson(describe: (site: Site) => object): (site: Site) => string {
  return (site) => toJson(describe(site));
}

function renderAddress({ observed }: RequestContext): string {
  return `${observed.ip ?? ''}\n`;
}

function renderHome(context: RequestContext): string {
  const [info, traits] = [infoOf(context), ownTraits(context)];
  const { observed, platform } = context;
  const dataDate = platform.addressData?.builtAt?.('city') ?? null;
  const isSecure = observed.origin.startsWith('https:');
  return homePage({ info, fingerprint: fingerprint(observed), traits, isSecure, dataDate, site: context });
}

function infoOf({ observed, platform, baseUrl }: RequestContext): Info {
  return info(observed, baseUrl, platform.now());
}
