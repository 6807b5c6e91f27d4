/** A connection that waits for its handshake costs nothing once its client has left, or would not wait longer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { until, untilQuiet } from '../until.ts';
import { clientHello, inRecords } from './hello-bytes.ts';
import { serve } from './serve.ts';

const hello = inRecords(clientHello({}), 16_384);

/** Sends a ClientHello whose handshake must wait for a step; returns the connection when that step has run, and the results of handshakes. */
async function sendHello(context: TestContext, { handshakeTimeoutMs = 10_000, leaves = false }) {
  const results: string[] = [];
  const served = await serve(context, () => {}, {
    bounds: { handshakeTimeoutMs },
    options: { onHandshake: (_version, result) => results.push(result) },
  });
  const { scheduler } = served.ingress.connections.context;
  let isBusy = true;
  scheduler.add(() => isBusy, 'another client', 'handshake');
  const client = connect(served.httpsPort, '127.0.0.1').on('error', () => {});
  context.after(() => client.destroy());
  await once(client, 'connect');
  await until(() => served.connections.length > 0);
  client.write(hello);
  if (leaves) await once(client.end(), 'finish');
  const [connection] = served.connections;
  await until(() => connection?.clientHello);
  await untilQuiet();
  isBusy = false;
  await until(() => connection?.endHandshake || connection?.socket.destroyed);
  return { connection, results };
}

test('begins if its client waits', async (context) => {
  const { connection } = await sendHello(context, {});
  assert.notEqual(connection?.endHandshake, null);
});

for (const [name, client] of [
  ['has left', { leaves: true }],
  ['has waited for longer than a handshake may take', { handshakeTimeoutMs: 0 }],
] as const)
  test(`does not begin if its client ${name}`, {
    skip: 'leaves' in client && !hasTcpOptions && 'needs the options of TCP sockets',
  }, async (context) => {
    const { connection, results } = await sendHello(context, client);
    assert.equal(connection?.endHandshake, null);
    assert.deepEqual(results, ['failed']);
  });
