/** What listeners keep of the datagrams that arrive before they can handle them. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { keyExchangeGroups } from '../../../src/core/limits.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { type Datagram, Listeners } from '../../../src/native/quic/listeners.ts';
import { loadOpenSsl } from '../../../src/native/quic/openssl.ts';
import { createServerContext } from '../../../src/native/quic/server-context.ts';
import { descriptorOf } from '../../../src/native/quic/socket.ts';
import { untilQuiet } from '../../until.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';

test('as many datagrams wait as permitted, however many clients send them', { skip }, async () => {
  assert.equal(await loadOpenSsl(), null);
  const socket = createSocket('udp4');
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  let handled = 0;
  const listeners = new Listeners(
    createServerContext(keyExchangeGroups, () => {}),
    {
      fd: descriptorOf(socket),
      bounds,
      handle() {
        handled += 1;
      },
    },
  );
  const datagram: Datagram = {
    bytes: Buffer.alloc(0),
    packet: { destinationId: '', sourceId: '', version: 0, isInitial: false, hasToken: false },
    sender: { address: '192.0.2.1', port: 1, family: 'IPv4', size: 0 },
  };
  for (let client = 0; client < 10_000; client += 1) listeners.receive(`${client}`, datagram);
  await untilQuiet(() => handled);
  assert.equal(handled, bounds.maxWaitingDatagrams);
  listeners.end();
  listeners.free();
  socket.close();
});
