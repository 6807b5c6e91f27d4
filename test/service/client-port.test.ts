/** The client's source port, over a connection of its own and through a trusted proxy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { startNode } from '../node-service.ts';

test('returns the source port of the connection, and an empty line if a trusted proxy names the client', async (t) => {
  const service = await startNode({ tlsPort: null, trustProxy: [prefixOf('127.0.0.0/8')] });
  t.after(() => service.close());
  const { port } = new URL(`${service.http}`);
  for (const [header, isHidden] of [
    ['', false],
    ['X-Forwarded-For: 203.0.113.9\r\n', true],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    const { localPort } = socket;
    socket.write(`GET /port HTTP/1.1\r\nHost: localhost\r\n${header}Connection: close\r\n\r\n`);
    const response = `${Buffer.concat(await socket.toArray())}`;
    assert.equal(response.slice(response.indexOf('\r\n\r\n') + 4), isHidden ? '\n' : `${localPort}\n`);
  }
});
