/** Every bound of the DNS server with its reason. */
import { localPortBounds } from '../local-ports.ts';

export const dnsBounds = {
  ...localPortBounds,
  /** Bytes of a response over UDP. If its records need more, it has none, but TC. Every path and every client accepts this size (RFC 1035 §4.2.1). */
  maxUdpResponseBytes: 512,
  /** Most bytes of a response over UDP for each byte of its query, whose sender may be forged; a full answer to `whoami` needs as many. */
  maxAmplification: 6,
  /** Bytes of a query, which EDNS announces: no path fragments them (DNS Flag Day 2020, https://www.dnsflagday.net/2020/). Queries take 100. */
  maxQueryBytes: 1_232,
  /**
   * Up to this many times the rate of a network, TC makes its resolvers use TCP. Above it, only one of as many datagrams gets a response, so that
   * a flood with forged senders costs less, while a resolver there, which repeats its queries, still gets TC.
   */
  dropFactor: 4,
  /**
   * Networks whose responses are counted in a second. For a further one, the count of the first is discarded. So a flood with forged senders can
   * reset the count of a network, but only with as many datagrams as this for each reset.
   */
  maxNetworks: 16_384,
  /** TCP connections. Above it, a new one replaces another: of the network that has the most, the oldest of the address that has the most there. */
  maxConnections: 128,
  /** TCP connections of one address. Resolvers use one or two. */
  maxConnectionsPerAddress: 8,
  /** Time for the next whole query on a connection, and for its responses to be accepted; RFC 7766 §6.2.3 recommends seconds. */
  idleTimeoutMs: 10_000,
  /**
   * Queries on a connection, after which the client opens another one. It loses those in transit, so the number is far above what a resolver sends
   * for a class that shares it: 30 visitors cause 600 queries, and unbound sends those that got TC on one connection.
   */
  maxConnectionQueries: 1_024,
  /** Connections that the kernel completes before they are accepted. */
  backlog: 128,
} as const;
export type DnsBounds = { readonly [Bound in keyof typeof dnsBounds]: number };
