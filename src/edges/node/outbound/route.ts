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

/** Errors of connect(2) of a machine without an address of this IP version, or without the version. */
const ownCodes: readonly string[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
/** Errors of connect(2) for an ICMP message, or for an address without a route. */
const routeCodes: readonly string[] = ['ENETUNREACH', 'EHOSTUNREACH'];

/** Whether a connection to an address failed with this code because this machine has no route to it. */
export const lacksRoute = async (code: string, address: string): Promise<boolean> =>
  ownCodes.includes(code) || (routeCodes.includes(code) && !(await hasRoute(address)));
