/** The thread for datagrams while another process takes over its ports. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QueryMessage, WaitMessage } from '../../../src/edges/node/name-server.ts';
import { openChannel } from '../../../src/runtime/datagrams/channel.ts';
import type { DatagramRequest, DatagramStart } from '../../../src/runtime/datagrams/messages.ts';
import { until } from '../../until.ts';

const program = new URL('../../../src/runtime/datagrams/worker.ts', import.meta.url);

test('reports to the threads that serve that it receives no queries after it has closed its ports', async (t) => {
  const sharedMemory = { channelName: randomUUID(), threads: 1 };
  const received: QueryMessage[] = [];
  const channel = openChannel<WaitMessage, QueryMessage>(sharedMemory, 1, (message) => received.push(message));
  const stun = { port: 0, hasMappingPort: false, listenOn: ['127.0.0.1'], otherPorts: [], responsesPerSecond: 0 };
  const workerData: DatagramStart = { servers: { dns: null, stun }, bounds, sharedMemory, waitsForPorts: true };
  const worker = new Worker(program, { workerData });
  t.after(async () => {
    channel.close();
    await worker.terminate();
  });
  const count = (expected: number) => until(() => received.length >= expected);
  for (let kind = ''; kind !== 'listening'; ) [{ kind }] = await once(worker, 'message');
  await count(1);
  worker.postMessage({ kind: 'drain' } satisfies DatagramRequest);
  await count(2);
  // A thread that has replaced another gets no response.
  channel.send({ kind: 'hello' });
  channel.send({ kind: 'watch', id: 'a' });
  await count(3);
  assert.deepEqual(received, [{ kind: 'started' }, { kind: 'ended' }, { kind: 'watching', id: 'a' }]);
});
