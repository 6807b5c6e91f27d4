/** What the service's own name server observes for a waiting request: the DNS queries for names with its id. */

/** Ids that a client may choose: random, so that nobody else can guess them. */
export const idPattern = '^[0-9A-Fa-f]{16,32}$';

/** Highest and default number of names that a client resolves: more names show more addresses of a large resolver. */
export const maxNames = 12;
export const defaultNames = 6;

/** Longest wait of a request for queries. */
export const maxWaitMs = 3_000;

/** Time without a query after which such a request ends, while names are missing: a resolver that does not know the zone needs several round trips. */
export const noQueryMs = 1_800;

/**
 * Clients send queries this long after their request. By then, each thread and instance that receives queries watches the id: it is several times
 * what a message through the store of the instances takes.
 */
export const announceMs = 50;

/** A query for a name with an id. All values can be sent to another thread, and take little memory: many may wait for a request's end. */
export interface IdQuery {
  /** IP address of the resolver. */
  readonly address: string;
  readonly transport: 'udp' | 'tcp';
  /** The number before the id. */
  readonly number: number;
  /** Labels before that number, as in `_8443._https.1-<id>`, which has two. */
  readonly depth: number;
  /** Whether the name has letters of both cases. */
  readonly hasMixedCase: boolean;
  /** Type of the requested records (IANA "DNS Parameters"). */
  readonly type: number;
  /** Null without EDNS. */
  readonly ednsBufferBytes: number | null;
  /** The DO bit. */
  readonly dnssecOk: boolean;
  readonly hasCookie: boolean;
  /** Network in CIDR notation; null without one. */
  readonly clientSubnet: string | null;
}

/** A request that waits for the queries with its id. */
export interface WaitingRequest {
  /** Hexadecimal digits in lower case. */
  readonly id: string;
  /** Number of different names after which it waits only for repeated queries. */
  readonly names: number;
  /** The client's IP address; null if unknown. */
  readonly client: string | null;
  /** Calls the function when the request has ended, by its response or because the client has disconnected. */
  readonly onDisconnect: (end: () => void) => void;
}

export interface IdQueries {
  /** Queries in order of arrival. */
  readonly queries: readonly IdQuery[];
  /** Whether there were more addresses or queries than the bounds permit. */
  readonly isTruncated: boolean;
  /**
   * Whether queries may be missing: the DNS server has meanwhile left one of any network without a whole response, to keep a bound, was too busy, or
   * did not hear from other instances in time.
   */
  readonly isLimited: boolean;
}

/** The name server of a zone that is delegated to the service. */
export interface NameServer {
  /** Resolves after `maxWaitMs` at most. Rejects with `id_in_use`, or with `overloaded` if too many requests wait or no DNS server listens. */
  observe(request: WaitingRequest): Promise<IdQueries>;
}
