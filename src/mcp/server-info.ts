/** Identity of the MCP server: for clients, its cards and the documentation. */
import type { Implementation } from '@modelcontextprotocol/server';
import { rates, windowSeconds } from '../core/limits.ts';
import { product } from '../core/product.ts';
import type { Site } from '../core/request-context.ts';
import type { Tool } from './tool.ts';

/** Path of the MCP server. */
export const mcpPath = '/mcp';

/** Paths of the icon. Clients must support PNG and should support SVG. */
export const iconPaths = { svg: '/favicon.svg', png: '/apple-touch-icon.png' } as const;

export const serverInfo = {
  name: 'seenby/seenby',
  title: product.name,
  version: product.version,
  description: 'Shows what the internet sees about a client; looks up DNS and registration data.',
} as const;

/** `serverInfo` with the URLs of this site. */
export function serverInfoOf({ baseUrl }: Pick<Site, 'baseUrl'>) {
  return {
    ...serverInfo,
    websiteUrl: documentationUrl(baseUrl),
    icons: [
      { src: baseUrl + iconPaths.svg, mimeType: 'image/svg+xml', sizes: ['any'] },
      { src: baseUrl + iconPaths.png, mimeType: 'image/png', sizes: ['180x180'] },
    ],
  } satisfies Implementation;
}

export const documentationUrl = (baseUrl: string): string => `${baseUrl}/docs#tools`;

/** Advice for models, which read it before they choose a tool. */
export function instructionsOf(tools: readonly Pick<Tool, 'name' | 'isLookup'>[]): string {
  const [lookups, others] = [true, false].map((isLookup) =>
    listFormat.format(tools.filter((tool) => tool.isLookup === isLookup).map(({ name }) => name)),
  );
  return [
    'All tools are read-only and need no key.',
    `Without input, ${others} describe the machine that calls this server: for a hosted assistant, its provider's server, never the user's device.`,
    'Locations are estimates.',
    `${lookups} query public servers and share ${lookupLimit}.`,
  ].join(' ');
}

const per = `per ${windowSeconds} seconds per IP address`;

/** Sentence for descriptions of tools. */
export const toolLimit = `Limit: ${rates.tools.perWindow} calls ${per}.`;
export const lookupLimit = `a limit of ${rates.lookup.perWindow} lookups ${per}`;

const listFormat = new Intl.ListFormat('en', { type: 'conjunction' });

/** Protocol versions that begin with `initialize`; the first is the one this service follows, and returns for an unknown one. */
export const handshakeVersions = ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05'] as const;

/** Protocol versions without `initialize`: each request contains what that message would. */
export const statelessVersions = ['2026-07-28'] as const;
