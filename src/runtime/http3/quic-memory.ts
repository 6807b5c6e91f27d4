/** The memory of connections in the process for QUIC: what one may hold, what all may hold, and who gives way when there is no more. */

import { errorCodes } from '../../ingress/http3/data/registries.ts';
import { Holdings } from '../../ingress/limits/holdings.ts';
import type { HeldConnection } from '../../native/quic/server-interface.ts';

/** Amounts are counted in this unit; a connection that holds nothing takes about as much. */
const unitBytes = 65_536;

interface MemoryOptions {
  readonly bounds: {
    /** Bytes that one connection, and all of them, may hold: of streams, of unsent data, and of data that has not been read. */
    readonly maxQuicConnectionBytes: number;
    readonly maxQuicBytes: number;
    /** See `Holdings`. */
    readonly clientsOfNetwork: number;
  };
  /** The network of an address, its client, and over IPv6 the address. */
  networksOf(ip: string): readonly string[];
  /** Called for each connection that is closed. */
  onClosed(): void;
}

export class QuicMemory {
  readonly #options: MemoryOptions;
  readonly #holdings: Holdings<HeldConnection>;
  /** With what else the connection holds, such as bytes that wait for the service. */
  readonly #heldBytes = new Map<HeldConnection, () => number>();

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#holdings = new Holdings(options.bounds.clientsOfNetwork);
  }

  add(connection: HeldConnection, heldBytes: () => number): void {
    this.#heldBytes.set(connection, heldBytes);
    this.#holdings.set(connection, this.#options.networksOf(connection.ip), 1);
  }

  delete(connection: HeldConnection): void {
    this.#heldBytes.delete(connection);
    this.#holdings.delete(connection);
  }

  /** Counts again; closes connections that hold too much, and while all hold too much, those of the largest holder. Called regularly. */
  check(): void {
    const { bounds, networksOf } = this.#options;
    let bytes = 0;
    for (const [connection, read] of this.#heldBytes) {
      const held = read();
      if (held > bounds.maxQuicConnectionBytes) this.#close(connection);
      else {
        bytes += held;
        this.#holdings.set(connection, networksOf(connection.ip), 1 + Math.ceil(held / unitBytes));
      }
    }
    while (bytes > bounds.maxQuicBytes) {
      const largest = this.#holdings.largest();
      if (largest === null) return;
      bytes -= this.#heldBytes.get(largest)?.() ?? 0;
      this.#close(largest);
    }
  }

  /** Closes a connection of the largest holder for a new one, if the network of the new one holds less than that of the other. */
  makeRoomFor(ip: string): boolean {
    const { networksOf } = this.#options;
    const largest = this.#holdings.largest();
    if (largest === null) return false;
    const [network] = networksOf(ip);
    const [other] = networksOf(largest.ip);
    if (this.#holdings.amountOf(other) <= this.#holdings.amountOf(network) + 1) return false;
    this.#close(largest);
    return true;
  }

  #close(connection: HeldConnection): void {
    this.delete(connection);
    this.#options.onClosed();
    connection.close(errorCodes.excessiveLoad);
  }
}
