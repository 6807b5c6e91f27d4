/** Identity of the MCP server: for clients, its cards and the documentation. */
import { parseAddress } from '../core/address.ts';
import type { RateSettings } from '../core/limits.ts';
import { product } from '../core/product.ts';
import type { Deployment, Site } from '../core/request-context.ts';
import { describeLookupLimit, type Tool } from './tool.ts';

/** Path of the MCP server. */
export const mcpPath = '/mcp';

/** Paths of the icon. Clients must support PNG and should support SVG. */
export const iconPaths = { svg: '/favicon.svg', png: '/apple-touch-icon.png' } as const;

export const serverInfo = {
  name: product.name.toLowerCase(),
  title: product.name,
  version: product.version,
  description: 'Shows what the internet sees about a client; looks up DNS and registration data.',
} as const;

/** `serverInfo` with the name and the URLs of this site. */
export function serverInfoOf(site: Pick<Site, 'baseUrl'>) {
  const { baseUrl } = site;
  return {
    ...serverInfo,
    name: serverNameOf(site),
    websiteUrl: documentationUrl(baseUrl),
    icons: [
      { src: baseUrl + iconPaths.svg, mimeType: 'image/svg+xml', sizes: ['any'] },
      { src: baseUrl + iconPaths.png, mimeType: 'image/png', sizes: ['180x180'] },
    ],
  };
}

/** A domain name that the name of a server may contain (schema of server cards). */
const hostName = /^(?=.{1,190}$)[a-z\d-]+(?:\.[a-z\d-]+)*$/;

/**
 * The name that identifies the server: `https://seen.example.com` is `com.example.seen/seenby`, and so in `initialize`, in the cards and
 * in the registry's file. An IP address has no such name.
 */
export function serverNameOf({ baseUrl }: Pick<Site, 'baseUrl'>): string {
  const hostname = new URL(baseUrl).hostname.replace(/\.$/, '');
  const labels = hostName.test(hostname) && parseAddress(hostname) === null ? hostname.split('.') : [serverInfo.name];
  return `${labels.reverse().join('.')}/${serverInfo.name}`;
}

export const documentationUrl = (baseUrl: string): string => `${baseUrl}/docs#tools`;

/** Advice for models, which read it before they choose a tool. */
export function instructionsOf(
  tools: readonly Pick<Tool, 'name' | 'isLookup'>[],
  { hasAddressData = true, ...settings }: RateSettings & Pick<Deployment, 'hasAddressData'>,
): string {
  const [lookups, others] = [true, false].map((isLookup) =>
    listFormat.format(tools.filter((tool) => tool.isLookup === isLookup).map(({ name }) => name)),
  );
  return [
    `Without input, ${others} describe the machine that calls this server: for a hosted assistant, its provider's server, never the user's device.`,
    `Locations are estimates. No tool locates another IP address${hasAddressData ? '; GET /api/ip?q=ADDRESS on the same host does' : ''}.`,
    'check_headers is about request headers; GET /api/headers-check?url=URL on the same host grades the response headers of a site.',
    'dns_lookup returns one record type per call: call it again for another type.',
    'A "claimed" client or agent is what headers state; it is not verified.',
    `${lookups} query public servers.`,
    describeLookupLimit(settings),
    'All tools are read-only and need no key.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export const listFormat = new Intl.ListFormat('en', { type: 'conjunction' });

/** Protocol versions that begin with `initialize`; the first is the one this service follows, and returns for an unknown one. */
export const handshakeVersions = ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05'] as const;

/** Protocol versions without `initialize`: each request contains what that message would. */
export const statelessVersions = ['2026-07-28'] as const;
