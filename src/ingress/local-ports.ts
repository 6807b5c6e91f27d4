/** What a server of datagrams opens on each address of this machine, such as a socket, with the same ports on all of them. */
import type { RemoteInfo } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { addressesOf, listLocalAddresses, openOnAddresses } from '../native/local-addresses.ts';

/** The bounds of every such server. */
export const localPortBounds = {
  /** Datagrams that the kernel keeps while the event loop is busy, and discards above: 1,000 or so, if net.core.rmem_max permits. */
  receiveBufferBytes: 1_048_576,
  /** Responses over UDP that the kernel has not accepted yet; above it, they are dropped. */
  maxUnsentBytes: 1_048_576,
  /** Interval in which the machine's addresses are listed, and the one in which those are tried again that cannot be used yet. */
  addressesMs: 60_000,
  addressRetryMs: 1_000,
  /** Interval in which a port is tried that another process still has. */
  portRetryMs: 250,
  /** Attempts to find ports that are free on all addresses, if any will do. */
  portAttempts: 20,
} as const;

/** How a server is reached, as its options have it. */
export interface LocalPortOptions {
  /** Addresses to listen on, or `::` or `0.0.0.0` for all of the machine; if there are none, all. */
  readonly hosts: readonly string[];
  /** UDP ports of other servers of this process. Nothing is sent to them at the addresses of this machine. */
  readonly otherPorts: readonly number[];
  readonly bounds: { readonly [Bound in keyof typeof localPortBounds]: number };
  /** Called at each repeated attempt, with an address that cannot be used and the system's error code; with nulls if there is no address at all. */
  onMissing?(address: string | null, code: string | null): void;
  /** Another process has a port, and the server waits until it is free; null: then it cannot listen. */
  readonly onWaiting: (() => void) | null;
}

interface Opening<Opened> {
  /** 0: a port that is free on every address. */
  readonly ports: readonly number[];
  /** Whether 127.0.0.0/8 and ::1 are among all addresses of the machine. */
  readonly hasLoopback: boolean;
  /** Opens it on one address, with the ports, as the system chose them; throws the system's error. */
  open(address: string, ports: readonly number[]): Promise<readonly [opened: Opened, ports: readonly number[]]>;
  close(opened: Opened): Promise<void>;
}

export class LocalPorts<Opened> {
  /** The ports, as the system chose them; set once it listens. */
  ports: readonly number[];
  readonly #options: LocalPortOptions;
  readonly #opening: Opening<Opened>;
  /** The addresses of this machine. */
  #own: ReadonlySet<string> = new Set();
  #opened: { close(): Promise<void> } | null = null;
  #isClosing = false;

  constructor(options: LocalPortOptions, opening: Opening<Opened>) {
    this.#options = options;
    this.#opening = opening;
    this.ports = opening.ports;
  }

  /** Throws the system's error, with nothing open, if a port cannot be opened on one of the addresses that this machine has. */
  async listen(): Promise<void> {
    const { bounds, onMissing, onWaiting } = this.#options;
    const { ports, close } = this.#opening;
    const open = () => {
      this.ports = ports;
      return openOnAddresses<Opened>({
        list: () => this.#listAddresses(),
        open: (address) => this.#openOn(address),
        close,
        onMissing: (address, code) => onMissing?.(address, code),
        refreshMs: bounds.addressesMs,
        retryMs: bounds.addressRetryMs,
      });
    };
    const isAnyPort = ports.includes(0);
    this.#opened = await openPorts(open, { isAnyPort, bounds, onWaiting, isClosing: () => this.#isClosing });
  }

  /** From now on, no port is waited for. */
  stopWaiting(): void {
    this.#isClosing = true;
  }

  async close(): Promise<void> {
    this.stopWaiting();
    await this.#opened?.close();
  }

  /** Whether the sender is a server of this process: two of them must not respond to each other, which would never end. */
  isOwn({ address, port }: Pick<RemoteInfo, 'address' | 'port'>): boolean {
    return this.#own.has(address) && (this.ports.includes(port) || this.#options.otherPorts.includes(port));
  }

  #listAddresses(): readonly string[] {
    const { hosts } = this.#options;
    const { hasLoopback } = this.#opening;
    const addresses = (hosts.length === 0 ? [null] : hosts).flatMap((host) => addressesOf(host, { hasLoopback }));
    // The list has a maximum, and not every address of 127.0.0.0/8, on all of which a server can listen.
    this.#own = new Set([...listLocalAddresses({ hasIpv6: true, hasLoopback: true }), ...addresses]);
    return addresses;
  }

  async #openOn(address: string): Promise<Opened> {
    const [opened, ports] = await this.#opening.open(address, this.ports);
    this.ports = ports;
    return opened;
  }
}

interface RetryOptions {
  /** Whether any free port will do: those that the system chose for one address may be taken on another. */
  readonly isAnyPort: boolean;
  readonly bounds: {
    /** Attempts to find a port if any will do. */
    readonly portAttempts: number;
    /** Interval in milliseconds in which a port is tried that another process still has. */
    readonly portRetryMs: number;
  };
  /** Another process has the port, and it is tried again until it is free; null: then this is an error. */
  readonly onWaiting: (() => void) | null;
  isClosing(): boolean;
}

/**
 * Returns the result of `open`: if another program has the port and any will do, with another one; else as soon as it is free. Null if it is
 * closed before. Throws the system's error.
 */
export async function openPorts<Opened>(open: () => Promise<Opened>, options: RetryOptions): Promise<Opened | null> {
  const { isAnyPort, bounds, onWaiting, isClosing } = options;
  for (let attempt = 1; !isClosing(); attempt += 1) {
    try {
      return await open();
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const mayChoose = isAnyPort && attempt < bounds.portAttempts;
      if (!isInUse || (!mayChoose && onWaiting === null)) throw error;
      if (mayChoose) continue;
      onWaiting?.();
      await delay(bounds.portRetryMs);
    }
  }
  return null;
}
