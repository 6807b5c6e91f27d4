/** Node builds a map of a request's headers only if it reads one of them itself. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { Message } from '../../src/native/http1.ts';

test('Node reads the headers of a request with a body and Expect', async (t) => {
  const server = createServer({ IncomingMessage: Message }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const sent = { 'X-Custom': 'a', Expect: '100-continue', 'Content-Length': '2' };
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', agent: false, method: 'POST', headers: sent });
  client.on('continue', () => client.end('{}'));
  client.flushHeaders();
  // Node emits this event because of the Expect header.
  const [incoming, outgoing] = await once(server, 'checkContinue');
  assert.equal(incoming.headers['x-custom'], 'a');
  outgoing.writeContinue();
  outgoing.end();
  const [response] = await once(client, 'response');
  response.resume();
  assert.equal(response.statusCode, 200);
});

test('Node reads no header map of a request without a body, Expect and Upgrade', async (t) => {
  const server = createServer({ IncomingMessage: Message, requireHostHeader: false }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', agent: false, headers: { Accept: 'a', 'X-Custom': 'b' } }).end();
  const [incoming, outgoing] = await once(server, 'request');
  assert.deepEqual(Object.keys(incoming.headers), []);
  assert.ok(incoming.rawHeaders.includes('X-Custom'));
  const symbol = Object.getOwnPropertySymbols(incoming).find(({ description }) => description === 'kHeaders');
  assert.ok(symbol !== undefined, 'Node has renamed its own map');
  assert.equal(incoming[symbol], null, 'Node has filled its own map');
  outgoing.end();
  const [response] = await once(client, 'response');
  response.resume();
  await once(response, 'end');
});

const framing = {
  TE: 'trailers',
  expect: '100-continue',
  UPGRADE: 'a',
  'Content-Length': '0',
  'transfer-Encoding': 'chunked',
};

for (const [name, value] of Object.entries(framing))
  test(`Node finds ${name}`, async (t) => {
    const server = createServer({ IncomingMessage: Message, requireHostHeader: false }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    server.on('checkContinue', () => {});
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.after(() => client.destroy());
    client.write(`GET / HTTP/1.1\r\nAccept: a\r\n${name}: ${value}\r\n\r\n`);
    const [incoming] = await once(server, name === 'expect' ? 'checkContinue' : 'request');
    assert.deepEqual({ ...incoming.headers }, { accept: 'a', [name.toLowerCase()]: value });
  });
