/** Every bound of the STUN server with its reason. */
import { localPortBounds } from '../local-ports.ts';

export const stunBounds = {
  ...localPortBounds,
  /** Bytes of a request: what every path carries unfragmented (RFC 8489 §6.1). */
  maxRequestBytes: 548,
  /** Clients whose responses are counted in a second. Above it, the first ones are forgotten, and count anew. */
  maxClients: 16_384,
} as const;
export type StunBounds = { readonly [Bound in keyof typeof stunBounds]: number };
