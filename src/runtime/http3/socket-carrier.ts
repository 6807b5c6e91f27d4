/** Carries connections from the process that terminates QUIC, which connects to a Unix socket of this thread. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { IngressBounds } from '../../ingress/bounds.ts';
import type { Carrier } from '../../ingress/http3/carrier.ts';
import { errorCodes } from '../../ingress/http3/data/registries.ts';
import { acceptWaiting } from '../../native/tcp.ts';
import { acceptChannel } from './bridge.ts';
import type { ChannelSocket } from './channel-socket.ts';

type CarrierBounds = Pick<IngressBounds, 'helloTimeoutMs' | 'maxAcceptsPerIteration'>;

/** `path` is that of the Unix socket; the one of a thread that has ended is replaced. */
export function createSocketCarrier(path: string, bounds: CarrierBounds): Carrier {
  const channels = new Set<ChannelSocket>();
  const server = createServer();
  return {
    async listen(accept) {
      server.on('connection', (socket) => {
        socket.setTimeout(bounds.helloTimeoutMs, () => socket.destroy());
        const channel = acceptChannel(socket, (quic, carried) => {
          socket.setTimeout(0);
          const handler = accept(quic, carried);
          if (handler === null) quic.close(errorCodes.excessiveLoad);
          return handler;
        });
        channels.add(channel);
        socket.on('close', () => channels.delete(channel));
      });
      server.on('listening', () => acceptWaiting(server, bounds.maxAcceptsPerIteration));
      await rm(path, { force: true });
      await once(server.listen(path), 'listening');
    },
    async close() {
      await once(server.close(), 'close');
    },
    closeEnded() {
      for (const channel of channels) channel.closeEnded();
    },
    destroy() {
      for (const channel of channels) channel.destroy();
    },
  };
}
