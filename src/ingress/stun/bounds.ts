/** Every bound of the STUN server with its reason. */

export const stunBounds = {
  /** Bytes of a request: what every path carries unfragmented (RFC 8489 §6.1). */
  maxRequestBytes: 548,
  /** Clients whose responses are counted in a second. Above it, the first ones are forgotten, and count anew. */
  maxClients: 16_384,
  /** Datagrams that the kernel keeps while the event loop is busy, and discards above: 1,000 or so, if net.core.rmem_max permits. */
  receiveBufferBytes: 1_048_576,
  /** Responses that the kernel has not accepted yet; above it, they are dropped. */
  maxUnsentBytes: 1_048_576,
  /** Interval in which the machine's addresses are listed, and the one in which those are tried again that cannot be used yet. */
  addressesMs: 60_000,
  addressRetryMs: 1_000,
  /** Interval in which a port is tried that another process still has. */
  portRetryMs: 250,
  /** Attempts to find ports that are free on all addresses, if any will do. */
  portAttempts: 20,
} as const;
export type StunBounds = { readonly [Bound in keyof typeof stunBounds]: number };
