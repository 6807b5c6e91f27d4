/** The count of datagrams that the kernel has dropped. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createDropCount } from '../../../src/runtime/datagrams/dropped-datagrams.ts';
import { until } from '../../until.ts';

const skip = process.platform !== 'linux' && 'only in Linux: elsewhere, no table has the number';

for (const [type, host, other] of [
  ['udp4', '127.0.0.1', '127.0.0.53'],
  ['udp6', '::1', '::'],
] as const)
  test(`counts the datagrams that a ${type} socket has no room for, not those of another address`, {
    skip,
  }, async () => {
    const receiver = createSocket({ type, recvBufferSize: 4_096 }).bind(0, host);
    const sender = createSocket(type).bind(0, host);
    await Promise.all([once(receiver, 'listening'), once(sender, 'listening')]);
    const address = receiver.address();
    const { port } = address;
    const countOf = (addresses: readonly AddressInfo[]): number => createDropCount(() => addresses)();
    assert.equal(countOf([address]), 0);
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
    const dropped = countOf([address]);
    assert.ok(dropped > 0 && dropped < sent, `${dropped}`);
    assert.equal(countOf([{ ...address, address: other }, sender.address()]), 0);
    await until(() => received + dropped === sent);
    assert.equal(countOf([sender.address(), address]), dropped);
    receiver.close();
    sender.close();
  });

test('counts in a twentieth of the time at most', () => {
  let nowMs = 0;
  let counts = 0;
  const count = createDropCount(
    () => {
      counts += 1;
      nowMs += 100;
      return [];
    },
    () => nowMs,
  );
  const tick = (ms: number): number => {
    nowMs += ms;
    count();
    return counts;
  };
  assert.deepEqual([tick(0), tick(0), tick(1_899), tick(1), tick(100)], [1, 1, 1, 2, 2]);
});
