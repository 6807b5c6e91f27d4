/** A port that another program has: another one is chosen, or it is tried until it is free. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalPorts, localPortBounds, openPorts } from '../../src/ingress/local-ports.ts';

const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
const bounds = { portAttempts: 3, portRetryMs: 1 };
const isClosing = (): boolean => false;

/** Fails so many times. */
function failing(times: number, error: Error = taken) {
  let calls = 0;
  return {
    open: async (): Promise<number> => {
      calls += 1;
      if (calls <= times) throw error;
      return calls;
    },
    count: () => calls,
  };
}

test('another port is chosen as often as the bound permits', async () => {
  const options = { isAnyPort: true, bounds, onWaiting: null, isClosing };
  assert.equal(await openPorts(failing(2).open, options), 3);
  const hopeless = failing(9);
  await assert.rejects(openPorts(hopeless.open, options), taken);
  assert.equal(hopeless.count(), bounds.portAttempts);
});

test('the same port is tried until it is free, if another process is to leave it', async () => {
  let waits = 0;
  const onWaiting = (): void => {
    waits += 1;
  };
  assert.equal(await openPorts(failing(5).open, { isAnyPort: false, bounds, onWaiting, isClosing }), 6);
  assert.equal(waits, 5);
  await assert.rejects(openPorts(failing(5).open, { isAnyPort: false, bounds, onWaiting: null, isClosing }), taken);
});

test('another error ends it, and so does a server that closes', async () => {
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const options = { isAnyPort: true, bounds, onWaiting: () => {} };
  await assert.rejects(openPorts(failing(1, denied).open, { ...options, isClosing }), denied);
  const { open, count } = failing(9);
  assert.equal(await openPorts(open, { ...options, isAnyPort: false, isClosing: () => count() === 2 }), null);
});

test('a server knows as its own the addresses that it listens on, even if the system does not list them', async () => {
  const hosts = ['127.0.0.5'];
  const own = { hosts, otherPorts: [53], bounds: localPortBounds };
  const local = new LocalPorts(
    { ...own, onWaiting: null },
    { ports: [7], hasLoopback: true, open: async (address, ports) => [address, ports], close: async () => {} },
  );
  await local.listen();
  try {
    for (const address of [...hosts, '127.0.0.1'])
      assert.deepEqual(
        [7, 53, 8].map((port) => local.isOwn({ address, port })),
        [true, true, false],
        address,
      );
    assert.equal(local.isOwn({ address: '192.0.2.1', port: 7 }), false);
  } finally {
    await local.close();
  }
});
