/**
 * Decides which clients must prove their addresses before their handshakes (Retry, RFC 9000 §8.1.2), which takes them a round trip: those that
 * come while many handshakes of others are open that have not. Remembers what the packets before the proof showed.
 */
import type { RemoteInfo } from 'node:dgram';
import { type Packet, quicVersion1 } from './packets.ts';

/** Clients between their first packet and the one with a token. */
const maxFirst = 1_024;

export class AddressValidation<Connection> {
  readonly #max: number;
  /** Handshakes whose addresses are not validated. */
  readonly #unvalidated = new Set<Connection>();
  /** Length of the destination id in the latest packet without a token, by sender. */
  readonly #firstIdLengths = new Map<string, number>();

  /** `max`: handshakes that may be open without it. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the sender of an Initial packet must have a token. A token is always validated: it is that of a Retry, as others are never sent. */
  isRequiredFor({ hasToken, version }: Packet): boolean {
    return hasToken || version !== quicVersion1 || this.#unvalidated.size >= this.#max;
  }

  add(connection: Connection): void {
    this.#unvalidated.add(connection);
  }

  /** The address of a connection is validated, or the connection has ended. */
  delete(connection: Connection): void {
    this.#unvalidated.delete(connection);
  }

  /** Remembers a packet to which the response is a Retry. */
  rememberFirst(sender: RemoteInfo, packet: Packet): void {
    const key = keyOf(sender, packet);
    this.#firstIdLengths.set(key, packet.destinationId.length);
    const [oldest = key] = this.#firstIdLengths.keys();
    if (this.#firstIdLengths.size > maxFirst) this.#firstIdLengths.delete(oldest);
  }

  /** Returns the length of the destination id in the very first packet of a connection; null if it is no longer known. */
  takeFirstIdLength(sender: RemoteInfo, packet: Packet): number | null {
    if (!packet.hasToken) return packet.destinationId.length;
    const key = keyOf(sender, packet);
    const length = this.#firstIdLengths.get(key) ?? null;
    this.#firstIdLengths.delete(key);
    return length;
  }
}

/** The key of a client whose connection has no id yet. */
const keyOf = ({ address, port }: RemoteInfo, { sourceId }: Packet): string => `${address} ${port} ${sourceId.length}`;
