/** Few connections share few listeners, and those that a burst has left are freed. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { keyExchangeGroups } from '../../../src/core/limits.ts';
import { leaveOpen } from '../../../src/native/quic/data/openssl-constants.ts';
import { ListenerSet } from '../../../src/native/quic/listener-set.ts';
import { loadOpenSsl, openSsl } from '../../../src/native/quic/openssl.ts';
import { createServerContext } from '../../../src/native/quic/server-context.ts';
import { descriptorOf } from '../../../src/native/quic/socket.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';

test('listeners are created for every fourth connection, and freed without any, but the first one', {
  skip,
}, async () => {
  assert.equal(await loadOpenSsl(), null);
  const socket = createSocket('udp4');
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const context = createServerContext(keyExchangeGroups, () => {});
  const set = new ListenerSet(context, openSsl.BIO_new_dgram(descriptorOf(socket), leaveOpen));
  const used = Array.from({ length: 10 }, () => {
    const listener = set.notValidating();
    listener.connections += 1;
    return listener;
  });
  const [first, , , , second, , , , third] = used;
  assert.deepEqual(used, [...Array(4).fill(first), ...Array(4).fill(second), third, third]);
  const sender = { address: '192.0.2.1', port: 1, family: 'IPv4', size: 0 } as const;
  const validating = set.validating(sender);
  assert.equal(set.validating(sender), validating);
  const soonMs = performance.now() + 60_000;
  // Its tokens are valid for 10 seconds.
  validating.usedMs = soonMs - 10_000;
  for (const listener of [first, second]) Object.assign(listener ?? {}, { connections: 0 });
  assert.deepEqual(set.freeIdle(soonMs), [second]);
  assert.deepEqual([...set.all], [first, third, validating]);
  assert.equal(set.notValidating(), first);
  // As a connection does whose stream is used after its end.
  second?.tick();
  assert.equal(second?.deadlineMs, Number.POSITIVE_INFINITY);
  assert.deepEqual(set.freeIdle(soonMs + 60_000), [validating]);
  assert.notEqual(set.validating(sender), validating);
  for (const listener of set.all) listener.free();
  socket.close();
});
