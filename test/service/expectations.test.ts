/** Bodies that clients announce, and what follows a body. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, test } from 'node:test';
import type { Service } from '../../src/runtime/serve.ts';
import { rawClient } from '../ingress/raw-client.ts';
import { startNode } from '../node-service.ts';

let service: Service;
before(async () => {
  service = await startNode({ host: '127.0.0.1' });
});
after(() => service.close());

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const head = (length: number, expect: string): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${expect}`;
const statuses = (received: string): string[] => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

for (const scheme of ['http', 'https'] as const) {
  test(`too large a body that waits for 100 (Continue) gets 413 instead, over ${scheme}`, async () => {
    const { closed } = rawClient(`${service[scheme]}`, head(90_000, 'Expect: 100-continue\r\n\r\n'));
    assert.deepEqual(statuses(await closed), ['413']);
  });

  test(`another one gets 100 and its response, over ${scheme}`, async () => {
    const expected = 'Expect: 100-continue\r\nConnection: close\r\n\r\n';
    const { socket, closed } = rawClient(`${service[scheme]}`, head(ping.length, expected));
    await once(socket, 'data');
    socket.write(ping);
    assert.deepEqual(statuses(await closed), ['100', '200']);
  });

  test(`garbage after a valid POST gets 400 after the response, over ${scheme}`, async () => {
    const { closed } = rawClient(`${service[scheme]}`, `${head(ping.length, '\r\n')}${ping}garbage\r\n\r\n`);
    assert.deepEqual(statuses(await closed), ['200', '400']);
  });
}

test('too large a body that waits for 100 (Continue) gets 413 instead, over HTTP/2', async () => {
  const session = connectHttp2(`${service.https}`, { rejectUnauthorized: false });
  const fields = { 'content-type': 'application/json', 'content-length': '90000', expect: '100-continue' };
  const stream = session.request({ ':path': '/mcp', ':method': 'POST', ...fields }, { endStream: false });
  let continued = 0;
  stream.on('continue', () => (continued += 1));
  const [headers] = await once(stream, 'response');
  session.destroy();
  assert.deepEqual([headers[':status'], continued], [413, 0]);
});
