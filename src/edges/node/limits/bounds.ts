/** Bounds of the Node edge that are not settings, each with its reason. */
import { maxDiscardedBytes } from '../../../core/limits.ts';

export const bounds = {
  /** Time for the whole ClientHello, and before it for a PROXY header; with lost packets, they take seconds. */
  helloTimeoutMs: 10_000,
  /** Time for the handshake after the ClientHello: one round trip or two. */
  handshakeTimeoutMs: 10_000,
  /** Longest wait for the first request after a client's HTTP/2 SETTINGS: some clients wait for the server's. */
  openingGraceMs: 20,
  /** Time for the headers of a request, which ordinary clients send in one packet. */
  headersTimeoutMs: 10_000,
  /** Time for a request with its body: 64 KB at 4 KB per second. */
  requestTimeoutMs: 20_000,
  /** Time for a request body; below requestTimeoutMs, which closes the connection without a response. */
  bodyTimeoutMs: 15_000,
  /** Longer than the pauses while a browser loads a page. */
  idleTimeoutMs: 30_000,
  /** Interval in which the timeouts of HTTP/1 are checked. */
  timeoutCheckMs: 2_000,
  /** Interval in which certificate and database files are checked for changes. */
  watchIntervalMs: 2_000,
  /** Interval between checks of the system clock and of the certificate's validity. */
  faultCheckMs: 10_000,
  /** Time for open requests to end when the service stops. */
  closeTimeoutMs: 9_000,
  /** When the service stops: time for a request in transit on an idle connection to arrive. */
  closeGraceMs: 1_000,
  /** Node's default; browsers send 1 to 4 KB. */
  maxHeaderBytes: 16_384,
  /** Discarded part of a body that is too large, before the response; see `readBody`. */
  maxDiscardedBytes,
  /** Time for that part: a client that sends faster than 4 MB per second loses nothing. */
  discardTimeoutMs: 2_000,
  /** Request bodies in memory, of all requests without a response: 128 of the largest, or 8,000 usual ones. Parsed, they take ten times as much. */
  maxBodyBytes: 8_388_608,
  /** HTTP/2 requests in this process that wait for their turn while a body arrives: 64 KB each. Ordinary ones wait for a few ms. */
  maxWaitingBodies: 512,
  /** The least that RFC 9113 §6.5.2 recommends. */
  maxConcurrentStreams: 100,
  /** Requests of one connection that are handled or written concurrently; more wait. Browsers open up to 10 or so. */
  maxRequestsInFlight: 32,
  /** HTTP/2 streams that all connections open or close in one event-loop turn: 15 µs each. Then no connection is read until the next. */
  maxStreamsPerTurn: 400,
  /** HTTP/2 requests and TLS handshakes that start in the turn that reads them; the others wait for the next, where a reset request costs nothing. */
  maxAtOnce: 8,
  /** Streams that an HTTP/2 client may reset in a burst, and per second afterwards; more end the connection. A browser that leaves a page resets its open streams, at most maxConcurrentStreams. */
  streamResetBurst: 200,
  /** Node's default. */
  streamResetRate: 33,
  /** Time in each event-loop turn for the waiting requests of all connections; other clients wait at most this long. */
  turnMs: 10,
  /** Bytes of large bodies that wait for the reader of one connection; above this, its next request waits. */
  maxUnsentBytesPerConnection: 1_048_576,
  /** The same for all connections; above this, the one without progress for the longest time is closed. */
  maxUnsentBytes: 33_554_432,
  /** A reader is closed if it accepts fewer than stallBytes in stallTimeoutMs while data waits. A client at 1 KB/s accepts five times as much. */
  stallBytes: 4_096,
  stallTimeoutMs: 20_000,
  /** Interval in which stalled readers, idle connections and the memory are checked. */
  connectionCheckMs: 1_000,
  /** Shorter: memory can fill in a second. */
  memoryCheckMs: 250,
  /** Garbage in V8's old generation, in percent of what is in use: under attack, 60 MB instead of 130 for 1 % of CPU. */
  heapGrowthPercent: 100,
  /** Bytes that an HTTP/2 client may send beyond requests and bodies, such as PING and WINDOW_UPDATE; a page takes less than 1 KB. */
  maxUselessBytes: 65_536,
  /** Part of maxUselessBytes that is restored each second. */
  uselessBytesPerSecond: 4_096,
  /** Characters of a text: a smaller one fits into one packet uncompressed. */
  minCompressedLength: 1_400,
  /** Concurrent compressions: each takes up to 10 MB. More responses are sent uncompressed. */
  maxCompressions: 4,
  /** Seconds of CONNECTION_RATE that an address may use in a burst after a pause. */
  connectionBurstSeconds: 4,
  /** Budget of an IPv6 /48 in budgets of a client: a /48 has 65,536 networks of one client each. */
  networkBudget: 100,
  /** Interval of the log line about rejected connections while the memory is full. */
  memoryLogMs: 60_000,
  /** Longest wait of a request for RATE_LIMIT_STORE; then the process counts for itself. */
  storeTimeoutMs: 10,
  /** Time for a connection to the store, and for its authentication. */
  storeConnectMs: 1_000,
  /** Shortest pause between attempts to connect to the store. */
  storeRetryMs: 1_000,
  /** Time without a loss after which the store counts as recovered. */
  storeStableMs: 10_000,
  /** Keys in each rate table. */
  maxRateKeys: 65_536,
  /** Interval in which expired keys of the rate tables are removed: no key outlives its window for long. */
  pruneMs: 6_000,
  /** Keys in the table of open connections: eight times as many as connections by default, so that its sets never fill. */
  maxConnectionKeys: 262_144,
  /** Interval in which the certificate of ACME_DOMAIN is checked for renewal: timers longer than 24 days do not exist. */
  acmeCheckMs: 60_000,
  /** First pause between two looks at an order in progress. */
  acmePollMs: 1_000,
  /** Time for an order, and as much again for each of its domains. */
  acmeOrderTimeoutMs: 120_000,
  /** Pause after the first failure, doubled by each further one: Let's Encrypt allows five failed validations per hour. */
  acmeRetryMs: 300_000,
  /** Longest such pause: four attempts a day. */
  acmeMaxRetryMs: 21_600_000,
  /** A longer Retry-After is cut: a faulty one must not outlast a certificate. */
  acmeMaxRetryAfterMs: 86_400_000,
  /** Connections that the kernel completes before the process accepts them. */
  backlog: 4096,
} as const;
export type Bounds = { readonly [Bound in keyof typeof bounds]: number };

/** 16 of the largest request bodies. */
const minBodyBytes = 1_048_576;

/** The bounds of one of several threads: what bounds the memory of the process is divided among them. */
export function boundsOfThread(all: Bounds, threads: number): Bounds {
  if (threads === 1) return all;
  const share = (bound: number): number => Math.ceil(bound / threads);
  const { maxUnsentBytes, maxBodyBytes, maxCompressions } = all;
  return {
    ...all,
    maxUnsentBytes: Math.max(share(maxUnsentBytes), 2 * all.maxUnsentBytesPerConnection),
    maxBodyBytes: Math.max(share(maxBodyBytes), minBodyBytes),
    maxCompressions: share(maxCompressions),
  };
}
