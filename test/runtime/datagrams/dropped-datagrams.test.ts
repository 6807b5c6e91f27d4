/** The count of datagrams that the kernel has dropped. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { countDroppedDatagrams } from '../../../src/runtime/datagrams/dropped-datagrams.ts';
import { until } from '../../until.ts';

const skip = process.platform !== 'linux' && 'only in Linux: elsewhere, no table has the number';

for (const [type, host] of [
  ['udp4', '127.0.0.1'],
  ['udp6', '::1'],
] as const)
  test(`counts the datagrams that ${type} has no room for`, { skip }, async () => {
    const receiver = createSocket({ type, recvBufferSize: 4_096 }).bind(0, host);
    const sender = createSocket(type).bind(0, host);
    await Promise.all([once(receiver, 'listening'), once(sender, 'listening')]);
    const { port } = receiver.address();
    assert.equal(countDroppedDatagrams(port), 0);
    let received = 0;
    receiver.on('message', () => {
      received += 1;
    });
    const sent = 100;
    // Node sends a datagram at once if it can, and reads none before the next iteration of the event loop.
    const datagram = Buffer.alloc(1_000);
    const all = Array.from(
      { length: sent },
      () => new Promise((resolve) => sender.send(datagram, port, host, resolve)),
    );
    await Promise.all(all);
    const dropped = countDroppedDatagrams(port);
    assert.ok(dropped > 0 && dropped < sent, `${dropped}`);
    assert.equal(countDroppedDatagrams(sender.address().port), 0);
    await until(() => received + dropped === sent);
    assert.equal(countDroppedDatagrams(port), dropped);
    receiver.close();
    sender.close();
  });

test('counts 0 for a port without a socket', () => assert.equal(countDroppedDatagrams(0), 0));
