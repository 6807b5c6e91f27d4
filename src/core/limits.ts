/** Limits on clients and lookups: request rates, redirects, time, ports, sizes. Sentences that state a limit read it here. */

/** Seconds in which each rate counts requests, from the first one of a client. Also sent as `Retry-After`: the window has then ended. */
export const windowSeconds = 60;

/** MCP messages permitted for each tool call permitted. A client that lists the tools before every call sends fewer. */
export const messagesPerToolCall = 4;
const toolCalls = 600;

export const rates = {
  general: { perWindow: 60, covers: 'requests to the endpoints' },
  lookup: { perWindow: 10, covers: 'lookups that make an outbound request' },
  // Far more than an agent needs; without a limit, batches of cheap calls from one address occupy a whole core.
  tools: { perWindow: toolCalls, covers: 'tool calls over MCP (each call in a batch counts)' },
  messages: {
    perWindow: toolCalls * messagesPerToolCall,
    covers: 'MCP messages of every kind (each message in a batch counts)',
  },
} as const;
export type RateName = keyof typeof rates;

/** Megabytes of documents per window to one IP address: 200 times the largest one, because many clients may share the address. */
export const documentMegabytes = 64;

/** DNS responses over UDP per second to one network. Six visitors with the same resolver cause 200 queries in a second. */
export const dnsResponsesPerSecond = 300;

/** STUN responses per second to one IP address. A test takes up to four, and a network may share the address. */
export const stunResponsesPerSecond = 20;

/**
 * Requests per window of the rates that an operator sets, and megabytes of documents; 0 for no limit. An absent one has its default.
 */
export type RateSettings = Partial<
  Readonly<Record<'rateLimitGeneral' | 'rateLimitLookup' | 'rateLimitTools' | 'rateLimitDocuments', number>>
>;

/** Requests per window of each rate; 0 means no limit. */
export function limitsOf({
  rateLimitGeneral: general = rates.general.perWindow,
  rateLimitLookup: lookup = rates.lookup.perWindow,
  rateLimitTools: tools = rates.tools.perWindow,
}: RateSettings): Readonly<Record<RateName, number>> {
  return { general, lookup, tools, messages: tools * messagesPerToolCall };
}

/** A phrase with the limit on documents; empty if there is none. */
export function describeDocumentLimit({ rateLimitDocuments: megabytes = documentMegabytes }: RateSettings): string {
  return megabytes === 0 ? '' : `${megabytes} MB of documents`;
}

/** A sentence with all limits of a deployment. */
export function describeLimits(settings: RateSettings): string {
  const limits = Object.entries(limitsOf(settings)).filter(([, limit]) => limit > 0);
  const ofDocuments = describeDocumentLimit(settings);
  const covered = limits.map(([name, limit]) => `${name}: ${limit} ${rates[name as RateName].covers}`);
  if (ofDocuments !== '') covered.push(ofDocuments);
  if (covered.length === 0) return noLimits;
  return `Limits per IP address and ${windowSeconds} seconds: ${covered.join('; ')}. Above a limit, the response is 429 with Retry-After.`;
}

const noLimits = 'There are no rate limits.';

/** Whether the deployment has one of these limits. */
export const hasLimits = (settings: RateSettings): boolean => describeLimits(settings) !== noLimits;

/** Builds a value for each rate. */
export const mapRates = <Value>(create: (name: RateName) => Value) =>
  Object.fromEntries(Object.keys(rates).map((name) => [name, create(name as RateName)])) as Record<RateName, Value>;

/** Sent as `Retry-After` if too many outbound requests are in progress: one of them usually ends within that time. */
export const overloadSeconds = 5;

/** Redirects followed by a lookup. */
export const maxRedirects = 5;

/** Total time of all requests of one header check. */
export const targetTimeoutMs = 5_000;

/** Time in which a checked port must respond. */
export const portTimeoutMs = 3_000;

export const maxPort = 65_535;

/** Ports a header check connects to. */
export const targetPorts: readonly number[] = [80, 443];

/** Ports of SMTP, LDAP, DNS, FTP, IMAP and POP3 over TLS from the first byte. */
export const otherTlsPorts: readonly number[] = [465, 636, 853, 990, 993, 995];

/** Ports a certificate lookup connects to: the ports of HTTPS, and others. */
export const tlsPorts: readonly number[] = [443, ...otherTlsPorts, 8443];

/** Total time of all handshakes of one certificate lookup. */
export const handshakesTimeoutMs = 5_000;

/** Informational responses (1xx) that an outbound request accepts before the final one. */
export const maxInformationalResponses = 8;

/** Largest size of all headers in response to an outbound request, those of informational responses included. */
export const maxResponseHeaderBytes = 32_768;

/** Bytes of a request body above its limit that are read and discarded, because most clients read the response only after sending. */
export const maxDiscardedBytes = 8 * 2 ** 20;

/** Writes a number of bytes for a sentence: `32 KB`, `8 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MB` : `${bytes / 2 ** 10} KB`;

/**
 * Groups of the TLS key exchange (IANA "TLS Supported Groups", 2026-11-23) by OpenSSL's names, the preferred one first. Others, such as P-521
 * and finite fields, cost a server up to nine times as much as X25519.
 */
export const keyExchangeGroups: readonly string[] = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'];
