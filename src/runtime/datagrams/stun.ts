/** The STUN server of the thread for datagrams. */
import { createIdentify } from '../../ingress/limits/identity.ts';
import { stunBounds } from '../../ingress/stun/bounds.ts';
import { StunServer } from '../../ingress/stun/server.ts';
import type { ServerServices } from './dns.ts';
import type { StunStart } from './messages.ts';

/** Throws the system's error if a port cannot be opened. */
export async function openStun(start: StunStart, { onWaiting, count }: ServerServices) {
  const { port, hasMappingPort, listenOn, otherPorts, responsesPerSecond } = start;
  const server = new StunServer({
    bounds: stunBounds,
    ports: hasMappingPort ? [port, port + 1] : [port],
    hosts: listenOn,
    otherPorts,
    responsesPerSecond,
    identify: createIdentify(),
    onResult: count,
    onWaiting,
  });
  await server.listen();
  return { port: server.ports[0] ?? port, close: () => server.close() };
}
