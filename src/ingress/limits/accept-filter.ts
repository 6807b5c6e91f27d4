/** Which connections a port accepts: none of clients that were just rejected, and few of networks that have their part of the connections. */
import { WindowCounts } from '../../native/window-counts.ts';
import type { Identify } from './identity.ts';
import type { PortLimit } from './port-limit.ts';

/** Time for which a client whose connection was rejected is not welcome, at most; CONNECTION_RATE permits five connections in it. */
const rejectedMs = 100;
const maxRejected = 10_000;

interface AcceptFilterOptions {
  readonly limit: Pick<PortLimit, 'isSelective' | 'isWelcome'>;
  readonly identify: Identify;
  isTrusted(ip: string): boolean;
  /** Called for each connection that is closed instead of accepted. */
  onClosed(): void;
}

export class AcceptFilter {
  readonly #options: AcceptFilterOptions;
  readonly #rejected = new WindowCounts(rejectedMs, maxRejected);

  constructor(options: AcceptFilterOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#rejected.size > 0 || this.#options.limit.isSelective;
  }

  isWelcome(ip: string): boolean {
    const { limit, identify, isTrusted, onClosed } = this.#options;
    if (isTrusted(ip)) return true;
    const { prefix, network } = identify(ip);
    if (!this.#rejected.has(prefix) && limit.isWelcome(network)) return true;
    onClosed();
    return false;
  }

  /** Notes that a connection of this address was rejected. */
  reject(ip: string): void {
    this.#rejected.add(this.#options.identify(ip).prefix);
  }
}
