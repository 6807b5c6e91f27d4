/** The tool server's card: the published shape, and the earlier one that scanners still read. */
import { initializedVersions, mcpPath, selfContainedVersions, serverInfo } from '../mcp/server-info.ts';

const transport = 'streamable-http';

/** SEP-2127; the schema is what `$schema` names. */
export function serverCard(base: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...serverInfo,
    websiteUrl: `${base}/docs`,
    remotes: [
      {
        type: transport,
        url: base + mcpPath,
        supportedProtocolVersions: [...initializedVersions, ...selfContainedVersions],
      },
    ],
  };
}

/** SEP-1649, which the present shape leaves room for: one card serves both readers. */
export function earlierServerCard(base: string): object {
  return {
    ...serverCard(base),
    serverInfo,
    transport: { type: transport, endpoint: mcpPath },
    capabilities: { tools: {} },
  };
}
