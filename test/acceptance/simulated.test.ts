/** What `npm run dev` simulates on the Node edge; node.test.ts runs the acceptance suite against this edge. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wrapSimulation } from '../../src/edges/simulated.ts';
import { startNode } from '../node-service.ts';
import { type Client, http1Client, keptHttp1Client, keptHttp2Client } from './client.ts';
import { assertFields } from './fields.ts';

let service: Awaited<ReturnType<typeof startNode>>;
before(async () => {
  service = await startNode({ host: '127.0.0.1', colo: 'LHR' }, {}, () => {}, wrapSimulation);
});
after(() => service.close());

const read = async (client: Client, path: string) =>
  JSON.parse((await client.request(path, { headers: { 'accept-encoding': 'identity' } })).body);

test('sets the fields that the documentation lists, and says that they are simulated', async () => {
  for (const client of [keptHttp1Client(`${service.https}`), keptHttp2Client(`${service.https}`)]) {
    const info = await read(client, '/json');
    assert.deepEqual([info.ip, info.location.city, info.meta.simulated], ['203.0.113.7', 'London', true]);
    assertFields('Simulated edge', info, info.http.protocol);
    const fingerprint = await read(client, '/fingerprint');
    assertFields('Simulated edge', fingerprint, fingerprint.http.version, 'Field of `/fingerprint`');
  }
});

test('simulates TLS for a request over plain HTTP', async () => {
  const info = await read(http1Client(`${service.http}`), '/json');
  assert.notEqual(info.tls.version, null);
});
