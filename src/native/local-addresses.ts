/**
 * The addresses of this machine, and something that is open on each of them, such as a UDP socket: what it sends leaves from its address,
 * while a socket for all addresses responds from the one that the kernel prefers, and a client ignores that if it used another one.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** More have no use on one machine, and each takes a descriptor. */
const maxAddresses = 64;

interface AddressFilter {
  readonly hasIpv6: boolean;
  /** Whether 127/8 and ::1 count; other addresses of the loopback interface, such as anycast ones, always do. */
  readonly hasLoopback: boolean;
}

/** Returns addresses in numeric form, link-local ones with their zone, such as `fe80::1%eth0`; 64 at most. */
export function listLocalAddresses({ hasIpv6, hasLoopback }: AddressFilter): readonly string[] {
  const found = new Set<string>();
  for (const [name, addresses = []] of Object.entries(networkInterfaces()))
    for (const { address, family, scopeid = 0 } of addresses) {
      const isLoopback = address === '::1' || address.startsWith('127.');
      if ((family === 'IPv6' && !hasIpv6) || (isLoopback && !hasLoopback)) continue;
      found.add(scopeid === 0 ? address : `${address}%${name}`);
    }
  return [...found].slice(0, maxAddresses);
}

/** Returns the addresses for a host. Null and `::` are all of the machine, `0.0.0.0` all IPv4 ones; any other is itself. */
export function addressesOf(
  host: string | null,
  { hasLoopback }: Pick<AddressFilter, 'hasLoopback'>,
): readonly string[] {
  if (host !== null && host !== '::' && host !== '0.0.0.0') return [host];
  return listLocalAddresses({ hasIpv6: host !== '0.0.0.0', hasLoopback });
}

interface AddressOptions<Opened> {
  /** Returns the addresses on which it must be open now. */
  list(): readonly string[];
  /** Opens it on one address; throws the system's error. */
  open(address: string): Promise<Opened>;
  close(opened: Opened): Promise<void>;
  /** Called each time that it could not be opened again on an address, with the system's error code; both are null if there is no address. */
  onMissing?(address: string | null, code: string | null): void;
  /** Interval in which the addresses are listed again, and a shorter one while it cannot be opened on one of them. */
  readonly refreshMs: number;
  readonly retryMs: number;
}

/** An address may be listed before it can be used, as IPv6 addresses are for a second, or be gone again. */
const notReady = 'EADDRNOTAVAIL';

/**
 * Opens something on each address, and keeps it open on those that the machine has. Throws the system's error, after closing everything, if
 * the first attempt fails on an address that is ready; later failures are tried again.
 */
export async function openOnAddresses<Opened>(options: AddressOptions<Opened>) {
  const opened = new Map<string, Opened>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let hasEnded = false;

  /** Lists the addresses; null if the system cannot, for example without open files, except at the first attempt. */
  const list = (isFirst: boolean): readonly string[] | null => {
    try {
      return options.list();
    } catch (error) {
      if (isFirst) throw error;
      return null;
    }
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = refresh(false);
    }, ms);
  };

  const refresh = async (isFirst: boolean): Promise<void> => {
    const addresses = list(isFirst);
    // What is open stays open.
    if (addresses === null) return schedule(options.retryMs);
    let isComplete = addresses.length > 0;
    if (!isComplete && !isFirst) options.onMissing?.(null, null);
    for (const address of addresses) {
      if (hasEnded || opened.has(address)) continue;
      try {
        opened.set(address, await options.open(address));
      } catch (error) {
        isComplete = false;
        const { code = '' } = error as NodeJS.ErrnoException;
        if (!isFirst) options.onMissing?.(address, code);
        else if (code !== notReady) throw error;
      }
    }
    for (const [address, each] of opened) {
      if (addresses.includes(address)) continue;
      opened.delete(address);
      await options.close(each);
    }
    if (!hasEnded) schedule(isComplete ? options.refreshMs : options.retryMs);
  };

  const close = async (): Promise<void> => {
    hasEnded = true;
    clearTimeout(timer);
    await running;
    for (const each of opened.values()) await options.close(each);
    opened.clear();
  };

  try {
    await refresh(true);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    /** The results of `open`, by address. */
    opened: opened as ReadonlyMap<string, Opened>,
    close,
  };
}

/**
 * Opens a UDP socket on one address. `bufferBytes`: size of the kernel's buffers for datagrams that arrive, and for those that are sent, while
 * the event loop is busy. It is at most net.core.rmem_max and wmem_max. Throws the system's error.
 */
export async function bindSocket(address: string, port: number, bufferBytes: number): Promise<Socket> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({
    type,
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
    // All destinations are numeric addresses. Without this function, Node would pass them to its resolver, and send in a later iteration.
    lookup: (host, _options, callback) => callback(null, host, isIP(host)),
  });
  // Set before the socket binds, which it does immediately with such a lookup.
  const listening = once(socket, 'listening');
  try {
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
