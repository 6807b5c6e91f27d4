/** How to add the tool server to an AI client, and what its tools do. */
import { html } from 'hono/html';
import { mcpPath } from '../../mcp/server-info.ts';
import type { Tool } from '../../mcp/tool.ts';
import { mcpClients } from '../mcp-clients.ts';
import { command, type Fragment } from './fragment.ts';

export type ToolWords = Pick<Tool, 'name' | 'title' | 'description'>;

export function clients(base: string): Fragment {
  const url = base + mcpPath;
  return html`<ul class="clients">${mcpClients.map(
    ({ name, where, hosted, snippet }) =>
      html`<li><p><b>${name}</b> <span class="small">${where}${
        hosted ? ' · calls from its provider, so it needs a public https address' : ''
      }</span></p>${command(snippet(url), `what ${name} takes`)}</li>`,
  )}</ul>`;
}

export function toolList(tools: readonly ToolWords[]): Fragment {
  return html`<dl class="tools">${tools.map(
    ({ name, title, description }) =>
      html`<dt><code>${name}</code> <span class="small">${title}</span></dt><dd>${description}</dd>`,
  )}</dl>`;
}
