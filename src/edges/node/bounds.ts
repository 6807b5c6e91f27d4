/** Bounds of the Node edge that no operator has to set. */
export const bounds = {
  /** For the whole ClientHello to arrive, and before it for a PROXY header. */
  helloTimeoutMs: 10_000,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  /** For a body to arrive; below requestTimeoutMs, which ends the connection without an answer. */
  bodyTimeoutMs: 15_000,
  idleTimeoutMs: 30_000,
  /** How often the timeouts of HTTP/1 are looked at. */
  timeoutCheckMs: 2_000,
  /** How often certificate and database files are looked at. */
  watchIntervalMs: 2_000,
  /** For open requests to end when the service stops. */
  closeTimeoutMs: 3_000,
  maxHeaderBytes: 16_384,
  /** Of a body that is too large, before it is answered. */
  maxDroppedBytes: 8_388_608,
  dropTimeoutMs: 2_000,
  maxConcurrentStreams: 100,
  /** Addresses whose calls are counted at once. */
  maxRateKeys: 65_536,
  backlog: 4096,
} as const;
export type Bounds = { readonly [Bound in keyof typeof bounds]: number };
