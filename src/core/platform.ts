/** What a runtime lends to the endpoints and lookups: limits, counts, the time, and the way to the outside. */
import type { RateName } from './limits.ts';

export interface Platform {
  /** Spends one call of each of these rates; false, and nothing spent, when one has none left. */
  limit(rates: readonly RateName[], rateKey: string): boolean | Promise<boolean>;
  /** Counts one answered call; nothing of the request but the endpoint it met. */
  count(endpoint: string, status: number): void;
  /** Tells the operator of a failure that is our own; what it says of the request stays here. */
  report(error: unknown): void;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** One request to an address of the operator's choice. Redirects are not followed. Never rejects. */
  fetch(request: OutboundRequest): Promise<OutboundResult>;
  /** One request, to public addresses alone: the address that was checked is the address asked. */
  fetchPublic(request: OutboundRequest): Promise<OutboundResult>;
  /** IANA's bootstrap file of this name, remembered by the runtime; null where no copy can be had. */
  registryFile(name: RegistryName): Promise<RegistryFile | null>;
  /** Addresses of DNS over HTTPS resolvers, the preferred first. */
  readonly resolvers: readonly string[];
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  /** An absolute http or https URL. */
  readonly url: string;
  /** All that is sent, besides what HTTP itself needs (Host, Connection, Content-Length). */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** For name resolution, connection, headers and body together. */
  readonly timeoutMs: number;
  /** More is `too_large`. 0: the body is not read at all. */
  readonly maxBodyBytes: number;
}

export interface OutboundResponse {
  readonly status: number;
  /** Lower-case names without a prototype; repeated ones joined by `, `; without Set-Cookie. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  readonly body: Uint8Array;
}

/**
 * Why there is no response: the address is not public (`blocked`) or is the service's own (`own`), the name has no
 * address, nobody speaks HTTP there, the certificate is not valid, the time is over, headers or body are too large.
 */
export type OutboundFailure =
  | 'blocked'
  | 'own'
  | 'unresolved'
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'too_large';

export type OutboundResult = OutboundResponse | { readonly failure: OutboundFailure };

/** The bootstrap files of RFC 9224. */
export type RegistryName = 'dns' | 'ipv4' | 'ipv6' | 'asn';

/** One of them: which entries (labels, prefixes, ranges) are served at which base URLs. */
export interface RegistryFile {
  /** When IANA published it: RFC 3339, null where it does not say. */
  readonly publication: string | null;
  readonly services: readonly { readonly entries: readonly string[]; readonly urls: readonly string[] }[];
}
