/** Which connections a port accepts: none of clients that were just rejected, and few of networks that have their part of the connections. */
import type { PortLimit } from './port-limit.ts';

/** Time for which a client whose connection was rejected is not welcome; CONNECTION_RATE permits five connections in it. */
const rejectedMs = 100;
const maxRejected = 10_000;

interface AcceptFilterOptions {
  readonly limit: Pick<PortLimit, 'isSelective' | 'isWelcome'>;
  networksOf(ip: string): readonly string[];
  isTrusted(ip: string): boolean;
  /** Called for each connection that is closed instead of accepted. */
  onClosed(): void;
}

export class AcceptFilter {
  readonly #options: AcceptFilterOptions;
  readonly #rejected = new Set<string>();
  #rejectedSinceMs = 0;

  constructor(options: AcceptFilterOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#rejected.size > 0 || this.#options.limit.isSelective;
  }

  isWelcome(ip: string): boolean {
    const { limit, networksOf, isTrusted, onClosed } = this.#options;
    if (isTrusted(ip)) return true;
    this.#forget();
    const [network, client = ip] = networksOf(ip);
    if (!this.#rejected.has(client) && limit.isWelcome(network)) return true;
    onClosed();
    return false;
  }

  /** Notes that a connection of this address was rejected. */
  reject(ip: string): void {
    this.#forget();
    const [, client = ip] = this.#options.networksOf(ip);
    if (this.#rejected.size < maxRejected) this.#rejected.add(client);
  }

  /** Forgets all of them together, which costs nothing for each. */
  #forget(): void {
    const nowMs = performance.now();
    if (nowMs - this.#rejectedSinceMs < rejectedMs) return;
    this.#rejected.clear();
    this.#rejectedSinceMs = nowMs;
  }
}
