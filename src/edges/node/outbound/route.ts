/** Whether this machine has a route to an address: without one, a failed connection says nothing about the other side. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** connect(2) of a UDP socket looks for a route, and sends nothing. */
export async function hasRoute(host: string): Promise<boolean> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.connect(anyPort, host);
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

const anyPort = 9;

/** Errors of connect(2) for an address without a route, for a machine without the IP version, or, except EAFNOSUPPORT, for other reasons. */
const routeCodes: readonly string[] = ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EHOSTUNREACH'];

/**
 * Returns what this machine lacks if a connection to an address failed with this code because of it: `no_route`, or `overloaded` without a
 * free local port (ip(7), ip_local_port_range); else null. UDP has ports of its own.
 */
export async function ownFailureOf(code: string, address: string): Promise<'no_route' | 'overloaded' | null> {
  if (!routeCodes.includes(code)) return null;
  if (!(await hasRoute(address))) return 'no_route';
  return code === 'EADDRNOTAVAIL' ? 'overloaded' : null;
}
