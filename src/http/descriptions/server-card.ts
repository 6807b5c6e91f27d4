/** Cards of the MCP server, its entry for the registry, and the catalog that names them, for clients and scanners that have not connected yet. */
import type { Site } from '../../core/request-context.ts';
import { handshakeVersions, mcpPath, serverInfo, serverInfoOf, statelessVersions } from '../../mcp/server-info.ts';
import { mediaTypes } from '../negotiate.ts';

export const serverCardPath = '/mcp/server-card';

const transport = 'streamable-http';

/** A description in the schema that `$schema` names, and its one remote; `more` are members that the schema adds to that. */
const describeServer = ($schema: string, site: Site, more: object = {}): object => ({
  $schema: `https://static.modelcontextprotocol.io/schemas/${$schema}.schema.json`,
  ...serverInfoOf(site),
  remotes: [{ type: transport, url: site.baseUrl + mcpPath, ...more }],
});

/** SEP-2127. */
export const serverCard = (site: Site): object =>
  describeServer('v1/server-card', site, { supportedProtocolVersions: [...handshakeVersions, ...statelessVersions] });

/** The file `server.json` that a publisher sends to the MCP registry. */
export const registryEntry = (site: Site): object => describeServer('2025-12-11/server', site);

/** SEP-1649, whose members the current schema permits, so one card serves readers of both. */
export function legacyServerCard(site: Site): object {
  return {
    ...serverCard(site),
    serverInfo: serverInfoOf(site),
    transport: { type: transport, endpoint: mcpPath },
    capabilities: { tools: {} },
  };
}

/** The domain's catalog of AI artifacts, as SEP-2127 uses it for discovery (https://github.com/Agent-Card/ai-catalog). */
export function aiCatalog({ baseUrl }: Site): object {
  return {
    specVersion: '1.0',
    host: { displayName: serverInfo.title, documentationUrl: `${baseUrl}/docs` },
    entries: [
      {
        identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:${serverInfo.name}`,
        displayName: serverInfo.title,
        type: mediaTypes.card,
        url: baseUrl + serverCardPath,
        description: serverInfo.description,
      },
    ],
  };
}
