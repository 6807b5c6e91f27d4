/** Every bound of the server with a good default and its reason; an operator may pass others in the options. */

export const ingressBounds = {
  /** Time for the whole ClientHello, and before it for a PROXY header; with lost packets, they take seconds. */
  helloTimeoutMs: 10_000,
  /**
   * Time for the handshake after the ClientHello: one round trip or two. Also the longest wait for the scheduler before it, and before an
   * HTTP/2 session begins.
   */
  handshakeTimeoutMs: 10_000,
  /** Longest wait for the first request after a client's HTTP/2 SETTINGS: some clients wait for the server's. */
  prefaceGraceMs: 20,
  /** Time for a client to acknowledge a PING, for which a request waits. */
  pingTimeoutMs: 3_000,
  /** Time for the headers of a request, which ordinary clients send in one packet. */
  headersTimeoutMs: 10_000,
  /** Time for a request with its body. */
  requestTimeoutMs: 20_000,
  /** Time for a request body; below requestTimeoutMs, which closes the connection without a response. */
  bodyTimeoutMs: 15_000,
  /** Time for a response to begin: a body takes 15 s at most, and a lookup 10 s. */
  answerTimeoutMs: 30_000,
  /** Longer than the pauses while a browser loads a page. */
  idleTimeoutMs: 30_000,
  /** Interval in which the timeouts of HTTP/1 are checked. */
  timeoutCheckMs: 2_000,
  /** Time for open requests to end when the service stops. */
  closeTimeoutMs: 9_000,
  /** When the service stops: time for a request in transit on an idle connection to arrive. */
  closeGraceMs: 1_000,
  /** Node's default; browsers send 1 to 4 KB. */
  maxHeaderBytes: 16_384,
  /**
   * Headers of a request over HTTP/2, where one byte may stand for one; browsers send 30. Each costs the library 0.3 µs before it is seen;
   * a stream with more is reset.
   */
  maxHeaderFields: 512,
  /** Part of a body above its limit that is read and discarded, so that a client that only sends still gets the response. */
  maxDiscardedBytes: 8_388_608,
  /** Time for that part; afterwards, the connection is reset. */
  discardTimeoutMs: 2_000,
  /** Total bytes of bodies of unanswered requests; parsed, they may take ten times as much. */
  maxBodyBytes: 8_388_608,
  /** HTTP/2 requests in this process that wait for their turn while a body arrives: 64 KB each. Ordinary ones wait for a few ms. */
  maxWaitingBodies: 512,
  /** Requests over HTTP/2 and HTTP/3 that wait on all connections, above 3 of each: 5 KB each. Of an ordinary client, none waits for long. */
  maxWaitingRequests: 2_048,
  /** Part of the connections of a port above which new connections replace others that have no request. */
  crowdedShare: 0.8,
  /** Part of the connections of a port that one network (IPv4: /24, IPv6: /48) may hold without a request, if others want to connect. */
  networkShare: 0.25,
  /** A network's holdings are divided by this number before they are compared with a client's: offices and access providers have many clients. */
  clientsOfNetwork: 16,
  /** Connections that a port accepts in one event-loop iteration: 0.1 to 0.2 ms each; with iterations of 50 ms, 1,280 a second. */
  maxAcceptsPerIteration: 64,
  /** The least that RFC 9113 §6.5.2 recommends. */
  maxConcurrentStreams: 100,
  /** Requests of one connection that are handled or written concurrently; more wait. Browsers open up to 10 or so. */
  maxRequestsInFlight: 32,
  /**
   * Requests after which an HTTP/3 connection asks its client for another one (GOAWAY): OpenSSL keeps 2 KB of each stream until its connection
   * ends. The handshake of another costs 2 µs for each of so many requests.
   */
  maxConnectionRequests: 1_000,
  /**
   * TLS connections whose handshake is done and whose first request, or HTTP/2 session, waits in the scheduler, before handshakes get less time
   * than requests: 100 KB each, instead of 9 KB before the handshake.
   */
  maxUnservedConnections: 128,
  /** Part of the time that handshakes then get if requests wait: a first request over HTTP/2 takes up to four times as long as a handshake. */
  unservedHandshakeShare: 0.2,
  /**
   * HTTP/2 streams that all connections open or close in one event-loop iteration: 15 µs each; 20 names or values of many headers count as
   * one. Then none is read until the next.
   */
  maxStreamsPerIteration: 200,
  /** Bytes that the kernel holds for a connection, and so what one read can hand to a parser; 80 KB per second at a round trip of 100 ms. */
  receiveBufferBytes: 8_192,
  /** Header names and values of a request that is not counted: 100 headers, above which many servers reject it. Browsers send 30. */
  ordinaryHeaderParts: 200,
  /**
   * Header names and values of all other requests over HTTP/2 and HTTP/3 without a response: up to 150 bytes each, which a collection of the
   * heap copies and frees in one pause. 100 requests of 125 headers.
   */
  maxHeldHeaderParts: 25_000,
  /** Bytes of all HTTP/2 connections in one event-loop iteration, counted with streams and frames; above this, none is read until the next. */
  maxBytesPerIteration: 32_768,
  /** Bytes of one HTTP/2 connection in an iteration, above which it is not read until the next. */
  maxConnectionBytesPerIteration: 16_384,
  /**
   * HTTP/2 requests and TLS handshakes that start in the iteration that reads them; the others wait for the next, where a reset request
   * costs nothing.
   */
  maxImmediateStarts: 8,
  /**
   * Streams that an HTTP/2 client may reset in a burst, and per second afterwards; more end the connection. A browser that leaves a page
   * resets its open streams, at most maxConcurrentStreams.
   */
  streamResetBurst: 200,
  /** Node's default. */
  streamResetRate: 33,
  /**
   * Time in each event-loop iteration for work that starts immediately, and as much CPU time for requests and handshakes that wait; other
   * clients wait at most this long for each.
   */
  iterationMs: 5,
  /**
   * Bytes in the send buffer of one connection: of all bodies over HTTP/2 and HTTP/3, of large ones over HTTP/1. Above this, its next
   * request waits.
   */
  maxConnectionSendBufferBytes: 1_048_576,
  /**
   * Memory of a response besides its body while it waits for the client, which counts as unsent bytes: objects and headers over HTTP/2, and a
   * part of its connection. 500 connections that permit no data, with 100 requests to /json each, took 119 MB with 8 KB, and 93 with this.
   */
  waitingResponseBytes: 12_288,
  /** Unsent bytes of all connections; above this, the connection without progress for the longest time is closed. */
  maxSendBufferBytes: 33_554_432,
  /**
   * A reader is closed if it accepts fewer than stallBytes in stallTimeoutMs while data waits. A client at 1 KB/s accepts almost four times
   * as much.
   */
  stallBytes: 4_096,
  stallTimeoutMs: 15_000,
  /** Time without progress after which the connection of such a reader may be replaced like one without a request. */
  unreadMs: 3_000,
  /** Interval in which stalled readers and idle connections are checked. */
  connectionCheckMs: 1_000,
  /** Bytes that a client may send beyond requests and bodies, such as PING and WINDOW_UPDATE of HTTP/2; a page takes less than 1 KB. */
  maxUselessBytes: 65_536,
  /** Part of maxUselessBytes that is restored each second. */
  uselessBytesPerSecond: 4_096,
} as const;
export type IngressBounds = { readonly [Bound in keyof typeof ingressBounds]: number };

/** Reasons for which a bound closes or rejects something, for counters. */
export type ClosingReason =
  | 'connections'
  | 'connections_again'
  | 'replaced'
  | 'reset_stream'
  | 'useless_frames'
  | 'stalled_reader'
  | 'body_bytes'
  | 'held_headers'
  | 'waiting_requests'
  | 'unsent_bytes';
