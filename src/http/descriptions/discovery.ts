/** Documents by which clients and scanners find the service: cards of the MCP server, its registry entry, and catalogs of them. */
import type { Site } from '../../core/request-context.ts';
import { toJson } from '../../core/text.ts';
import { handshakeVersions, mcpPath, serverInfo, serverInfoOf, statelessVersions } from '../../mcp/server-info.ts';
import { definer, type Endpoint } from '../endpoint.ts';
import { mediaTypes } from '../negotiate.ts';

export const openapiPath = '/openapi.json';
/** Stands below /as/, as the endpoints that it describes do. */
export const dialectsOpenapiPath = '/as/openapi.json';
export const docsPath = '/docs';
export const apiCatalogPath = '/.well-known/api-catalog';
export const serverCardPath = '/mcp/server-card';

const transport = 'streamable-http';

/** Describes the MCP server in the schema that `$schema` names, with its one remote; `more` are the remote's members in that schema. */
const describeServer = ($schema: string, site: Site, more: object = {}): object => ({
  $schema: `https://static.modelcontextprotocol.io/schemas/${$schema}.schema.json`,
  ...serverInfoOf(site),
  remotes: [{ type: transport, url: site.baseUrl + mcpPath, ...more }],
});

/** SEP-2127. */
export const serverCard = (site: Site): object =>
  describeServer('v1/server-card', site, { supportedProtocolVersions: [...handshakeVersions, ...statelessVersions] });

/** The file `server.json` that a publisher sends to the MCP registry. */
const registryEntry = (site: Site): object => describeServer('2025-12-11/server', site);

/** SEP-1649, whose members the current schema permits, so one card serves readers of both. */
export const legacyServerCard = (site: Site): object => ({
  ...serverCard(site),
  serverInfo: serverInfoOf(site),
  transport: { type: transport, endpoint: mcpPath },
  capabilities: { tools: {} },
});

/** The domain's catalog of AI artifacts, as SEP-2127 uses it for discovery (https://github.com/Agent-Card/ai-catalog). */
export const aiCatalog = ({ baseUrl }: Site): object => ({
  specVersion: '1.0',
  host: { displayName: serverInfo.title, documentationUrl: baseUrl + docsPath },
  entries: [
    {
      identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:${serverInfo.name}`,
      displayName: serverInfo.title,
      type: mediaTypes.card,
      url: baseUrl + serverCardPath,
      description: serverInfo.description,
    },
  ],
});

/** The API catalog of this service (RFC 9727), a set of links (RFC 9264). */
const apiCatalog = (site: Site): object => ({
  linkset: [
    {
      anchor: `${site.baseUrl}/`,
      'service-desc': [openapiPath, dialectsOpenapiPath].map((path) => ({
        href: site.baseUrl + path,
        type: mediaTypes.json,
      })),
      'service-doc': [{ href: site.baseUrl + docsPath, type: mediaTypes.html }],
      status: [{ href: `${site.baseUrl}/healthz`, type: mediaTypes.text }],
    },
    {
      anchor: site.baseUrl + mcpPath,
      'service-desc': [{ href: site.baseUrl + serverCardPath, type: mediaTypes.card }],
      'service-doc': [{ href: serverInfoOf(site).websiteUrl, type: mediaTypes.html }],
    },
  ],
});

const asJson = (describe: (site: Site) => object) => (site: Site) => toJson(describe(site));

/** A document that contains the URL of the service. */
export const defineSiteDocument = definer({ kind: 'document', rates: [], isConstant: true, namesService: true });

export const discoveryDocuments: readonly Endpoint[] = [
  defineSiteDocument(serverCardPath, 'MCP server card (SEP-2127)', { card: asJson(serverCard) }),
  defineSiteDocument('/.well-known/mcp/server-card.json', 'Server card at its legacy path, with SEP-1649 fields', {
    json: asJson(legacyServerCard),
  }),
  defineSiteDocument('/.well-known/ai-catalog.json', 'AI catalog, which names the MCP server card (SEP-2127)', {
    catalog: asJson(aiCatalog),
  }),
  {
    ...defineSiteDocument(
      apiCatalogPath,
      'API catalog (RFC 9727), which names the descriptions of the HTTP endpoints and of the MCP server',
      { linkset: asJson(apiCatalog) },
    ),
    links: [{ path: apiCatalogPath, rel: 'api-catalog' }],
  },
  defineSiteDocument('/server.json', 'Description of the MCP server for the MCP registry', {
    json: asJson(registryEntry),
  }),
];
