/** The limit on connections in the process for QUIC: a new one takes the place of one without a request whose client holds most. */

import type { IngressBounds } from '../../ingress/bounds.ts';
import { errorCodes } from '../../ingress/http3/data/registries.ts';
import { Holdings } from '../../ingress/limits/holdings.ts';
import type { HeldConnection } from '../../native/quic/server-interface.ts';

interface PlacesOptions {
  /** 0: no limit. */
  readonly max: number;
  readonly bounds: Pick<IngressBounds, 'clientsOfNetwork' | 'networkShare'>;
  /** The network of an address, its client, and over IPv6 the address. */
  networksOf(ip: string): readonly string[];
  /** Called for each connection whose place another one takes. */
  onReplaced(): void;
}

/**
 * The service has a limit of its own (`PortLimit`), which asks clients to leave before all places are taken; it knows nothing of handshakes,
 * which are connections here as well.
 */
export class QuicPlaces {
  readonly #options: PlacesOptions;
  /** Connections that have no complete request, as far as known. */
  readonly #replaceable: Holdings<HeldConnection>;
  readonly #busy = new Set<HeldConnection>();

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#replaceable = new Holdings(options.bounds.clientsOfNetwork);
  }

  /** Makes room for a connection whose address is validated; false if all others have requests, or its client holds most itself. */
  enter(connection: HeldConnection): boolean {
    const { max, onReplaced } = this.#options;
    this.#add(connection);
    if (max === 0 || this.#replaceable.size + this.#busy.size <= max) return true;
    const victim = this.#findReplaceable();
    if (victim === null || victim === connection) {
      this.leave(connection);
      return false;
    }
    this.leave(victim);
    onReplaced();
    victim.close(errorCodes.noError);
    return true;
  }

  leave(connection: HeldConnection): void {
    this.#replaceable.delete(connection);
    this.#busy.delete(connection);
  }

  /** Notices the ends of requests; called regularly. */
  check(): void {
    for (const connection of this.#busy) {
      if (connection.hasRequest) continue;
      this.#busy.delete(connection);
      this.#add(connection);
    }
  }

  #add(connection: HeldConnection): void {
    this.#replaceable.set(connection, this.#options.networksOf(connection.ip), 1);
  }

  #findReplaceable(): HeldConnection | null {
    const { max, bounds } = this.#options;
    for (;;) {
      const next = this.#replaceable.largest(max * bounds.networkShare);
      if (!next?.hasRequest) return next;
      this.#replaceable.delete(next);
      this.#busy.add(next);
    }
  }
}
