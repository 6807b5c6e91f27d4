/** Bounds of the Node process that are not settings: the bounds of the HTTP server, and others with their reasons. */
import { maxDiscardedBytes } from '../../../core/limits.ts';
import { maxWaitMs, noQueryMs } from '../../../core/name-server.ts';
import { ingressBounds } from '../../../ingress/bounds.ts';

const ownBounds = {
  /** Interval in which certificate and database files are checked for changes. */
  watchIntervalMs: 2_000,
  /** Interval between checks of the system clock and of the certificate's validity. */
  faultCheckMs: 10_000,
  /** Time without a response after which one of several threads is replaced: far above any work, below the manager's watchdog. */
  threadTimeoutMs: 10_000,
  /** A thread that ends five times within this time will not recover. */
  threadFailingMs: 60_000,
  /** Longest wait of a scrape for the metrics of a thread; it then gets the metrics of the other threads. */
  threadMetricsMs: 1_000,
  /** Interval in which the memory in use is measured: it can fill in a second. */
  memoryCheckMs: 250,
  /**
   * Garbage in V8's old generation before it is collected, in percent of what is in use, where MAX_MEMORY leaves room, and where it does not. Less
   * than V8's default, because every header over HTTP/2 is a string there whose bytes, three times its own size, V8 does not count, and frees
   * in one pause: attacks by headers add 108 MB at 60 %, and 149 at 100, which would save no further collection.
   */
  heapGrowthPercent: 60,
  scarceHeapGrowthPercent: 20,
  /** MiB of MAX_MEMORY for each thread, at least, that leave room: a thread takes up to 72 at the start. */
  roomyThreadMb: 160,
  /** Interval in which the process is checked for rest and growth, so that free memory returns to the system (`createRelease`). */
  releaseMemoryMs: 1_000,
  /** Pause between two returns, each of which stops the process, see `releaseFreeMemory`. */
  releasePauseMs: 60_000,
  /** Growth of the process since it was smallest, at least. */
  releaseGrowthBytes: 16_777_216,
  /** Characters of a text: a smaller one fits into one packet uncompressed. */
  minCompressedLength: 1_400,
  /** Concurrent compressions of what is longer than a page: each takes up to 10 MB. More responses are sent uncompressed. */
  maxCompressions: 4,
  /** Seconds of CONNECTION_RATE that an address may use in a burst after a pause. */
  connectionBurstSeconds: 4,
  /** Budget of an IPv6 /48 in budgets of a client: a /48 has 65,536 networks of one client each. */
  networkBudget: 100,
  /** Longest wait of a request for RATE_LIMIT_STORE; then the process counts for itself. */
  storeTimeoutMs: 10,
  /** Time for a connection to the store, and for its authentication. */
  storeConnectMs: 1_000,
  /** Shortest pause between attempts to connect to the store. */
  storeRetryMs: 1_000,
  /** Time without a loss after which the store counts as recovered. */
  storeStableMs: 10_000,
  /** Interval between signs of life of a connection to the store that may only receive. */
  storePingMs: 10_000,
  /** Ids for which requests of other instances wait: as many as 16 instances have. Each takes 400 bytes. */
  maxAnnouncedIds: 16_000,
  /** Other instances that have announced an id; each restart of one counts. */
  maxInstances: 256,
  /** Interval in which dropped DNS queries are counted while requests wait. */
  lostQueriesMs: 100,
  /** Longest wait for other instances to pass on the queries that they have received. */
  instanceReplyMs: 500,
  /** Keys in each rate table. */
  maxRateKeys: 65_536,
  /**
   * Interval in which expired keys of one of the twelve rate tables are removed: no key outlives its window for long. The same as
   * `releaseMemoryMs`, so that both wake the process once (`native/ticks.ts`).
   */
  pruneMs: 1_000,
  /** Keys in the table of open connections: eight times as many as connections by default, so that its sets never fill. */
  maxConnectionKeys: 262_144,
  /** Interval in which the certificate of ACME_DOMAIN is checked for renewal: timers longer than 24 days do not exist. */
  acmeCheckMs: 60_000,
  /** First pause between two queries of an order in progress; each further one is twice as long, up to ten times the first. */
  acmePollMs: 1_000,
  /** Time for an order, and as much again for each of its domains. */
  acmeOrderTimeoutMs: 120_000,
  /** Pause after the first failure, doubled by each further one: Let's Encrypt allows five failed validations per hour. */
  acmeRetryMs: 300_000,
  /** Longest such pause: four attempts a day. */
  acmeMaxRetryMs: 21_600_000,
  /** A longer Retry-After is cut: a faulty one must not outlast a certificate. */
  acmeMaxRetryAfterMs: 86_400_000,
  /** Time after which another instance may order if the ordering one has ended without a word. */
  acmeLeaseMs: 30_000,
  /** Pause before an instance that needs a certificate tries again to order it. */
  acmeFollowMs: 5_000,
  /** Longest wait for the other instances to respond to a challenge. */
  acmeAnnounceMs: 5_000,
  /** Time for which the store keeps account and certificate; every instance stores them again. */
  acmeSharedMs: 2_592_000_000,
  /**
   * QUIC handshakes whose clients have not proven their addresses. Above it, clients must do so first (Retry), which takes a round trip more;
   * each of these takes 90 KB and sends up to three times what it gets.
   */
  maxUnvalidatedHandshakes: 32,
  /** Time until a client proves its address by using the connection id of the server: one round trip, and the repetition of what is lost. */
  unvalidatedTimeoutMs: 3_000,
  /** QUIC datagrams that wait for their turn: up to 6 MB. */
  maxWaitingDatagrams: 4_096,
  /** Bytes of one QUIC connection that are kept until its client acknowledges them: 2.5 MB per second at a round trip of 100 ms. */
  quicConnectionBufferBytes: 262_144,
  /** Requests in progress of an address over all of its HTTP/3 connections, as many as eight connections may have; more wait in OpenSSL. */
  maxAddressRequestsInFlight: 256,
  /** Streams of one QUIC connection: those of maxConnectionRequests, and what a client has opened before it hears of the end. */
  quicConnectionStreams: 1_200,
  /**
   * Memory of one QUIC connection beyond the 70 KB that it takes itself: its streams (2.4 MB), what it has not sent, and what has arrived out of
   * order, of which OpenSSL permits 768 KB in 640 datagrams.
   */
  maxQuicConnectionBytes: 4_194_304,
  /** This memory for all connections together; above it, connections of the largest holder are closed. */
  maxQuicBytes: 67_108_864,
  /**
   * Pause before the process for HTTP/3, or the thread for datagrams, is started again, doubled by each further end until it has run for
   * the longest pause.
   */
  restartMs: 250,
  maxRestartMs: 30_000,
  /**
   * Requests that wait for DNS queries, each up to 3 seconds: in all, from a network (/24, IPv6: /48), and from an address (IPv6: /64), which a
   * class or an office shares. RATE_LIMIT_GENERAL limits how long an address can take its places: to 60 waits in a minute.
   */
  maxResolverRequests: 1_000,
  maxNetworkResolverRequests: 250,
  maxAddressResolverRequests: 32,
  maxWaitMs,
  noQueryMs,
  /** Time without another query after all names were seen: resolvers repeat a query, or send one for each type of record. */
  lastQueryMs: 300,
  /** Resolver addresses and queries for one request: whoever knows its id can forge queries. 6 names cost 75 queries of a careful resolver. */
  maxResolvers: 32,
  maxIdQueries: 256,
  /** Interval in which the addresses of PUBLIC_URL's host are resolved for DNS_ZONE, and a shorter one while those of IPv4 or IPv6 are unknown. */
  hostRefreshMs: 3_600_000,
  hostRetryMs: 10_000,
  /** Connections that the kernel completes before the process accepts them. */
  backlog: 4096,
  // None may replace one of the HTTP server, which has the same object.
} as const satisfies Readonly<Record<string, number>> & { readonly [Bound in keyof typeof ingressBounds]?: never };
// What is discarded of a body that is too large is the same on every edge.
export const bounds = { ...ingressBounds, maxDiscardedBytes, ...ownBounds };
export type Bounds = { readonly [Bound in keyof typeof bounds]: number };

/** 16 of the largest request bodies. */
const minBodyBytes = 1_048_576;

/**
 * The bounds of a thread: what bounds the memory of the process is divided among its threads, and the heap grows little where MAX_MEMORY (in
 * MiB; 0: no limit) leaves no room.
 */
export function boundsOfThread(bounds: Bounds, { threads, memoryMb }: { threads: number; memoryMb: number }): Bounds {
  const isRoomy = memoryMb === 0 || memoryMb / threads >= bounds.roomyThreadMb;
  const growth = isRoomy
    ? bounds.heapGrowthPercent
    : Math.min(bounds.heapGrowthPercent, bounds.scarceHeapGrowthPercent);
  const all = { ...bounds, heapGrowthPercent: growth };
  if (threads === 1) return all;
  const share = (bound: number): number => Math.ceil(bound / threads);
  const { maxSendBufferBytes, maxBodyBytes, maxCompressions } = all;
  // A response waits until the end of the iteration in which it is made, even if its client reads.
  const ofIterationBytes = all.maxStreamsPerIteration * (all.waitingResponseBytes + all.stallBytes);
  return {
    ...all,
    maxSendBufferBytes: Math.max(share(maxSendBufferBytes), 2 * all.maxConnectionSendBufferBytes, ofIterationBytes),
    maxBodyBytes: Math.max(share(maxBodyBytes), minBodyBytes),
    maxCompressions: share(maxCompressions),
  };
}
