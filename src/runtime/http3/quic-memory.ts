/** The memory of connections in the process for QUIC: measured regularly, because OpenSSL reports no changes. */
import { errorCodes } from '../../ingress/http3/data/registries.ts';
import type { Holder } from '../../ingress/limits/identity.ts';
import { Pool } from '../../ingress/limits/pool.ts';
import type { HeldConnection } from '../../native/quic/server-interface.ts';

/** Amounts are compared in this unit; a connection that holds nothing takes about as much. */
const unitBytes = 65_536;

interface MemoryBounds {
  /** Bytes that one connection, and all of them, may hold: of streams, of unsent data, and of data that has not been read. */
  readonly maxQuicConnectionBytes: number;
  readonly maxQuicBytes: number;
  /** See `Pool`. */
  readonly clientsOfNetwork: number;
}

export class QuicMemory {
  readonly #maxConnectionBytes: number;
  readonly #places: Pick<Pool<HeldConnection>, 'holderOf'>;
  readonly #pool: Pool<HeldConnection>;
  /** Functions that return the bytes of a connection, with others such as bytes that wait for the service. */
  readonly #heldBytes = new Map<HeldConnection, () => number>();
  readonly #onClosed: () => void;

  /** `places` has the admitted connections, except one that has just lost its place; `onClosed` is called for each that is closed. */
  constructor(
    { maxQuicConnectionBytes, maxQuicBytes, clientsOfNetwork }: MemoryBounds,
    places: Pick<Pool<HeldConnection>, 'holderOf'>,
    onClosed: () => void,
  ) {
    this.#maxConnectionBytes = maxQuicConnectionBytes;
    this.#places = places;
    this.#onClosed = onClosed;
    this.#pool = new Pool({
      capacity: maxQuicBytes,
      unit: unitBytes,
      clientsOfNetwork,
      evict: (each) => this.#close(each),
    });
  }

  add(connection: HeldConnection, heldBytes: () => number): void {
    this.#heldBytes.set(connection, heldBytes);
    this.#pool.add(connection, this.#places.holderOf(connection), 0);
  }

  delete(connection: HeldConnection): void {
    this.#heldBytes.delete(connection);
    this.#pool.leave(connection);
  }

  /** Measures again; closes connections that hold too much, and while all hold too much, those of the largest holder. Called regularly. */
  sweep(): void {
    for (const [connection, read] of this.#heldBytes) {
      const bytes = read();
      if (bytes > this.#maxConnectionBytes) this.#close(connection);
      else this.#pool.add(connection, null, bytes);
    }
    this.#pool.trim();
  }

  /** Closes a connection of the largest holder for a new one, if the network of the new one holds less than that of the other. */
  makeRoomFor(client: Holder): boolean {
    return this.#pool.makeRoomFor(client);
  }

  #close(connection: HeldConnection): void {
    this.delete(connection);
    this.#onClosed();
    connection.close(errorCodes.excessiveLoad);
  }
}
