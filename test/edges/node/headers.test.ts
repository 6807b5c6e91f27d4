/** Headers are reported as received. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { headersOf, headersOfRequest, Message } from '../../../src/edges/node/headers.ts';

/** Entries, so that order counts and `__proto__` is an ordinary name. */
const entriesOf = (...rawPairs: string[]): [string, string][] => Object.entries(headersOf(rawPairs));
/** UTF-8 text as Node delivers it. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const rows: readonly [
  sentence: string,
  rawPairs: readonly string[],
  headers: readonly (readonly [string, string])[],
][] = [
  ['reports none where there is none', [], []],
  [
    'keeps the order and lowers the names',
    ['X-B', '1', 'X-A', 'Two'],
    [
      ['x-b', '1'],
      ['x-a', 'Two'],
    ],
  ],
  [
    'joins repeats by a comma, at the place of the first',
    ['A', '1', 'B', '2', 'a', '3'],
    [
      ['a', '1, 3'],
      ['b', '2'],
    ],
  ],
  ['joins cookies by a semicolon', ['Cookie', 'a=1', 'cookie', 'b=2, 3'], [['cookie', 'a=1; b=2, 3']]],
  ['joins a repeated empty value', ['A', '', 'A', 'x'], [['a', ', x']]],
  [
    'keeps every repeat of headers that Node would drop',
    ['Age', '1', 'Age', '2', 'User-Agent', 'a', 'User-Agent', 'b'],
    [
      ['age', '1, 2'],
      ['user-agent', 'a, b'],
    ],
  ],
  [
    'names :authority host, and leaves the other pseudo-headers out',
    [':method', 'GET', ':authority', 'a:8443', ':scheme', 'https', ':path', '/', 'b', 'c'],
    [
      ['host', 'a:8443'],
      ['b', 'c'],
    ],
  ],
  ['does not repeat a host that equals :authority', [':authority', 'a', 'host', 'A:443'], [['host', 'a']]],
  ['reads UTF-8', ['X', bytes('Tromsø 東京 🦊')], [['x', 'Tromsø 東京 🦊']]],
  ['keeps a byte order mark', ['X', bytes('\ufeffa')], [['x', '\ufeffa']]],
  ['reads Latin-1 where the bytes are not UTF-8', ['X', 'Troms\u00f8'], [['x', 'Tromsø']]],
  ['reads as Latin-1 what is UTF-8 only in part', ['X', `${bytes('ø')}\u00f8`], [['x', 'Ã¸ø']]],
  ['reads each of two repeats by itself', ['X', bytes('ø'), 'X', '\u00f8'], [['x', 'ø, ø']]],
  [
    'takes __proto__ and constructor for names',
    ['__proto__', 'a', 'constructor', 'b', '__PROTO__', 'c'],
    [
      ['__proto__', 'a, c'],
      ['constructor', 'b'],
    ],
  ],
];
for (const [sentence, rawPairs, headers] of rows) {
  test(sentence, () => {
    assert.deepEqual(entriesOf(...rawPairs), headers);
  });
}

test('inherits no members', () => {
  const headers = headersOf(['Host', 'a']);
  for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(name in headers, false, name);
});

test('accepts 100 and 2,500 headers', () => {
  for (const count of [100, 2500]) {
    const names = Array.from({ length: count }, (_, at) => `x-${at}`);
    assert.deepEqual(
      entriesOf(...names.flatMap((name) => [name, `${name} value`])),
      names.map((name) => [name, `${name} value`]),
    );
  }
});

test("Node reads the request's only header map", async (t) => {
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
  assert.equal(incoming.headers, incoming.ownHeaders);
  assert.equal(incoming.headers['x-custom'], 'a');
  const symbol = Object.getOwnPropertySymbols(incoming).find(({ description }) => description === 'kHeaders');
  assert.ok(symbol !== undefined, 'Node has renamed its own map');
  assert.equal(incoming[symbol], null, 'Node has filled its own map too');
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
  assert.equal(headersOfRequest(incoming)['x-custom'], 'b');
  outgoing.end();
  const [response] = await once(client, 'response');
  response.resume();
  await once(response, 'end');
});

test('Node finds the headers it reads, in any case', () => {
  for (const name of ['TE', 'expect', 'UPGRADE', 'Content-Length', 'transfer-Encoding']) {
    const message = new Message(new Socket());
    message.rawHeaders = ['Accept', 'a', name, '1'];
    assert.deepEqual(Object.entries(message.headers), [
      ['accept', 'a'],
      [name.toLowerCase(), '1'],
    ]);
  }
});
