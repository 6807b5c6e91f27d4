/** What the pages state for AI agents: how to add the MCP server to popular clients, and the list of tools. */
import { html } from 'hono/html';
import { mcpPath, serverInfo } from '../../mcp/server-info.ts';
import type { Tool } from '../../mcp/tool.ts';
import { command, type Fragment } from './fragment.ts';

export interface McpClient {
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

export function clientList(base: string): Fragment {
  const url = base + mcpPath;
  return html`<ul class="clients">${mcpClients.map(
    ({ name, where, isHosted, snippet }) =>
      html`<li><p><b>${name}</b> <span class="small">${where}${
        isHosted ? "; connects from the provider's servers, so it needs a public HTTPS URL" : ''
      }</span></p>${command(snippet(url), `the configuration for ${name}`)}</li>`,
  )}</ul>`;
}

export const toolList = (tools: readonly Tool[]): Fragment =>
  html`<dl class="tools">${tools.map(
    ({ name, title, description }) =>
      html`<dt><code>${name}</code> <span class="small">${title}</span></dt><dd>${description}</dd>`,
  )}</dl>`;
