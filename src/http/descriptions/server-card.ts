/** Cards of the MCP server, and the catalog that names them, for clients and scanners that have not connected yet. */
import { parseAddress } from '../../core/address.ts';
import type { Site } from '../../core/request-context.ts';
import { handshakeVersions, mcpPath, serverInfo, serverInfoOf, statelessVersions } from '../../mcp/server-info.ts';
import { mediaTypes } from '../negotiate.ts';

export const serverCardPath = '/mcp/server-card';

const transport = 'streamable-http';
const shortName = serverInfo.title.toLowerCase();

/** SEP-2127, in the schema that `$schema` names. The name is derived from `publicUrl`, and omitted without it. */
export function serverCard(site: Site): object {
  const { baseUrl, deployment } = site;
  const { name: _, ...info } = serverInfoOf(site);
  const name = deployment.publicUrl === null ? null : reverseDnsName(deployment.publicUrl);
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...(name !== null && { name }),
    ...info,
    remotes: [
      {
        type: transport,
        url: baseUrl + mcpPath,
        supportedProtocolVersions: [...handshakeVersions, ...statelessVersions],
      },
    ],
  };
}

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
        identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:${shortName}`,
        displayName: serverInfo.title,
        type: mediaTypes.card,
        url: baseUrl + serverCardPath,
        description: serverInfo.description,
      },
    ],
  };
}

/** `https://seenby.example` becomes `example.seenby/seenby`; an IP address has no such name. */
function reverseDnsName(publicUrl: string): string | null {
  const hostname = new URL(publicUrl).hostname.replace(/\.$/, '');
  if (hostname.startsWith('[') || parseAddress(hostname) !== null) return null;
  return `${hostname.split('.').reverse().join('.')}/${shortName}`;
}
