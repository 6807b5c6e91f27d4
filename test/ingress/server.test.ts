/** What a server sets on its sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ingressBounds } from '../../src/ingress/bounds.ts';
import { acceptedBytesOf, startReading, stopReading } from '../../src/native/socket.ts';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { until, untilQuiet } from '../until.ts';
import { serve } from './serve.ts';

test('what is read of a connection at once is no more than is read of it in an event-loop iteration', {
  skip: !hasTcpOptions && 'needs Linux and a Node with ffi',
}, async (context) => {
  const { httpsPort, connections } = await serve(context, () => {});
  const client = connect(httpsPort, '127.0.0.1').on('error', () => {});
  context.after(() => client.destroy());
  await once(client, 'connect');
  await until(() => connections.length > 0);
  await untilQuiet();
  const socket = connections[0]?.socket;
  assert.ok(socket);
  stopReading(socket);
  client.write(Buffer.alloc(8_000_000));
  await untilQuiet(() => acceptedBytesOf(client));
  assert.equal(socket.bytesRead, 0);
  startReading(socket);
  await until(() => socket.bytesRead > 0);
  assert.ok(socket.bytesRead <= ingressBounds.maxConnectionBytesPerIteration, `${socket.bytesRead} bytes`);
});
