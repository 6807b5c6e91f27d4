/** Who the tool server says it is: to clients, in its card, and in the documentation. */

export const serverInfo = {
  name: 'seenby/seenby',
  title: 'Seenby',
  version: '1.0.0',
  description: 'What the internet sees of a caller, and lookups of DNS, registrations and headers.',
} as const;

/** Read by models before they choose a tool. */
export const instructions =
  'All tools are read-only and need no key. whoami, and check_headers and parse_ua without input, describe the machine that calls this server: for a hosted assistant that is a server of its provider, never the device of the person it works for. Locations are estimates. dns_lookup and rdap_lookup ask public servers and share a limit of calls.';

/** Where the tool server is. */
export const mcpPath = '/mcp';

/** Revisions that begin with `initialize`; the first is the one this service follows, and answers a client that asks for an unknown one. */
export const initializedVersions = ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05'] as const;

/** Revisions in which every request says by itself what `initialize` said. */
export const selfContainedVersions = ['2026-07-28'] as const;
