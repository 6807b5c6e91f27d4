/** What is remembered of senders before and after their connections, in bounded maps. */
import type { RemoteInfo } from 'node:dgram';
import type { Packet } from './packets.ts';

/** After a rejection, further attempts of the address cost no handshake for so long. */
const rejectionMs = 1_000;
const maxRejected = 10_000;
/** As many handshakes may be between their first packet and the one with a token. */
const maxFirst = 1_024;

export class Senders {
  /** Length of the destination id in the latest packet before the sender's address was validated. */
  readonly #firstIdLengths = new Map<string, number>();
  readonly #rejectedUntilMs = new Map<string, number>();

  noteFirst(packet: Packet, sender: RemoteInfo): void {
    this.#firstIdLengths.set(keyOf(packet, sender), packet.destinationId.length);
    for (const oldest of this.#firstIdLengths.keys()) {
      if (this.#firstIdLengths.size <= maxFirst) return;
      this.#firstIdLengths.delete(oldest);
    }
  }

  /** Returns the length once; null if it is not known any more. */
  takeFirstIdLength(packet: Packet, sender: RemoteInfo): number | null {
    const key = keyOf(packet, sender);
    const length = this.#firstIdLengths.get(key) ?? null;
    this.#firstIdLengths.delete(key);
    return length;
  }

  reject({ address }: RemoteInfo): void {
    if (this.#rejectedUntilMs.size < maxRejected) this.#rejectedUntilMs.set(address, performance.now() + rejectionMs);
  }

  isRejected({ address }: RemoteInfo): boolean {
    return (this.#rejectedUntilMs.get(address) ?? 0) > performance.now();
  }

  /** Called regularly. */
  prune(nowMs: number): void {
    for (const [address, untilMs] of this.#rejectedUntilMs) if (untilMs <= nowMs) this.#rejectedUntilMs.delete(address);
  }
}

const keyOf = ({ sourceIdLength }: Packet, { address, port }: RemoteInfo): string =>
  `${address} ${port} ${sourceIdLength}`;
