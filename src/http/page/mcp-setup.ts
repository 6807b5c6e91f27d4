/** The parts of pages about AI agents: how to add the MCP server to popular clients, and the list of tools. */

import { mcpPath } from '../../mcp/server-info.ts';
import type { Tool } from '../../mcp/tool.ts';
import { mcpClients } from './data/mcp-clients.ts';
import { command } from './fragment.ts';
import { type Fragment, html } from './markup.ts';

export const clientList = (base: string): Fragment =>
  html`<ul class="clients">${mcpClients.map(
    ({ name, where, isHosted, snippet }) =>
      html`<li><p><b>${name}</b> <span class="small">${where}${
        isHosted ? html`; connects from the provider&rsquo;s servers, so it needs a public HTTPS URL` : ''
      }</span></p>${command(snippet(base + mcpPath), `the configuration for ${name}`)}</li>`,
  )}</ul>`;

export const toolList = (tools: readonly Tool[]): Fragment =>
  html`<dl class="tools">${tools.map(
    ({ name, title, description }) =>
      html`<dt><code>${name}</code> <span class="small">${title}</span></dt><dd>${description}</dd>`,
  )}</dl>`;
