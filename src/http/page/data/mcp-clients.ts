/** MCP clients, and how to add the MCP server to each. */
import { serverInfo } from '../../../mcp/server-info.ts';

interface McpClient {
  readonly name: string;
  /** Place of the snippet: a command line, a file or a menu. */
  readonly where: string;
  /** Set if it connects from its provider's servers, so it needs a public https URL. */
  readonly isHosted?: true;
  /** Version and date with which it was tried; absent if it was only taken from the documentation. */
  readonly tried?: string;
  /** One line; `url` is that of the MCP server. */
  readonly snippet: (url: string) => string;
}

const { title } = serverInfo;
const name = title.toLowerCase();

/** From each client's documentation of 2026-11-21. */
export const mcpClients: readonly McpClient[] = [
  {
    name: 'Claude Code',
    where: 'in a terminal',
    tried: '2.1.330, 2026-11-23: connected',
    snippet: (url) => `claude mcp add --transport http ${name} ${url}`,
  },
  {
    name: 'Claude Desktop and claude.ai',
    where: `Settings, Connectors, Add custom connector; name: ${title}`,
    isHosted: true,
    snippet: (url) => url,
  },
  {
    name: 'ChatGPT',
    where: `Settings, Apps, Advanced settings: Developer mode; then Create app, no authentication; name: ${title}`,
    isHosted: true,
    snippet: (url) => url,
  },
  {
    name: 'Codex CLI',
    where: 'in a terminal',
    tried: '0.169.0, 2026-11-23: accepted, not connected without an account',
    snippet: (url) => `codex mcp add ${name} --url ${url}`,
  },
  {
    name: 'Cursor',
    where: '~/.cursor/mcp.json',
    snippet: (url) => JSON.stringify({ mcpServers: { [name]: { url } } }),
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json',
    snippet: (url) => JSON.stringify({ servers: { [name]: { type: 'http', url } } }),
  },
  {
    name: 'Gemini CLI',
    where: 'in a terminal',
    tried: '0.61.0, 2026-11-23: connected',
    snippet: (url) => `gemini mcp add --transport http ${name} ${url}`,
  },
  {
    name: 'Zed',
    where: 'settings.json',
    snippet: (url) => JSON.stringify({ context_servers: { [name]: { url } } }),
  },
];
