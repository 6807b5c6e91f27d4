/** A STUN server on loopback addresses, and clients that send it bytes. */

import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { type StunBounds, stunBounds } from '../../../src/ingress/stun/bounds.ts';
import { StunServer, type StunServerOptions } from '../../../src/ingress/stun/server.ts';
import { stunMessage } from '../../wire/stun-messages.ts';

/** Starts a server that ends with the test; `counts` has what it reports. */
export async function openServer(
  context: TestContext,
  changes: Partial<StunServerOptions> = {},
  bounds: Partial<StunBounds> = {},
) {
  const counts: Record<string, number> = {};
  const options: StunServerOptions = {
    bounds: { ...stunBounds, ...bounds },
    ports: [0],
    hosts: ['127.0.0.1'],
    otherPorts: [],
    responsesPerSecond: 0,
    identify: createIdentify(),
    onResult(result) {
      counts[result] = (counts[result] ?? 0) + 1;
    },
    onWaiting: null,
    ...changes,
  };
  const server = new StunServer(options);
  await server.listen();
  context.after(() => server.close());
  const [port = 0] = server.ports;
  return { server, options, counts, port };
}

/**
 * Sends datagrams from one socket, and then a request, perhaps more than once; returns what arrived before the response to it, and the socket's
 * port.
 */
export async function sendDatagrams(port: number, messages: readonly Uint8Array[], address = '127.0.0.1') {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const received: Buffer[] = [];
  const id = Buffer.from('the last one');
  let from: RemoteInfo | null = null;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('message', (message, sender) => {
    from = sender;
    if (message.subarray(8, 20).equals(id)) resolve();
    else received.push(message);
  });
  socket.bind();
  await once(socket, 'listening');
  for (const message of messages) socket.send(message, port, address);
  // A datagram may be lost, also on loopback.
  const timer = setInterval(() => socket.send(stunMessage({ id }), port, address), 250);
  socket.send(stunMessage({ id }), port, address);
  await promise;
  clearInterval(timer);
  const { port: ownPort } = socket.address();
  socket.close();
  return { received, ownPort, from: from as RemoteInfo | null };
}
