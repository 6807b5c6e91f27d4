/** The DNS server on its addresses: what it answers over UDP, to whom it sends nothing, and how it gets its port. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { DnsServer } from '../../../src/ingress/dns/server.ts';
import { typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { until, untilQuiet } from '../../until.ts';
import { queryOf } from '../../wire/dns/messages.ts';
import { connectTo, framed, messagesOf, openServer, optionsOf, sendDatagrams, zone } from './dns-server.ts';

const whoami = (id = 1): Uint8Array => queryOf({ id, name: `whoami.${zone}`, type: typeNumbers.TXT, edns: {} });

test('answers over UDP and TCP on one port of each address, from the address that was asked', async (context) => {
  const { port } = await openServer(context, { hosts: ['127.0.0.1', '127.0.0.2', '::1'] });
  for (const address of ['127.0.0.1', '127.0.0.2', '::1']) {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.send(whoami(), port, address);
    const [response, { address: from }] = await once(socket, 'message');
    socket.close();
    assert.equal(from, address);
    assert.match(String(response), /transport=udp/);
    const connection = await connectTo(port, address);
    connection.end(framed(whoami()));
    assert.match(String(await messagesOf(connection)), /transport=tcp/);
  }
});

test('sends nothing for responses, fragments of a header and what is too large, and answers the next query', async (context) => {
  const { port, counts } = await openServer(context);
  const silent = [
    queryOf({ bits: 0x8180 }),
    ...Array.from({ length: 11 }, (_, at) => new Uint8Array(at + 1)),
    new Uint8Array(1_233),
  ];
  assert.deepEqual(await sendDatagrams(port, silent), []);
  assert.deepEqual(counts, { ignored: silent.length, NOERROR: 1 });
  const [malformed] = await sendDatagrams(port, [queryOf({ questions: 0 })]);
  assert.equal(malformed?.toString('hex'), '123481010000000000000000');
});

test('answers 400 queries that arrive while the event loop is busy', {
  skip: process.platform !== 'linux' && 'the buffer of other systems may be large enough by default',
}, async (context) => {
  const { port, counts } = await openServer(context);
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => socket.close());
  await once(socket, 'listening');
  // Sent in one iteration of the event loop, in which the server reads nothing. Linux keeps 280 of them by default.
  for (let id = 0; id < 400; id += 1) socket.send(whoami(id), port, '127.0.0.1');
  await untilQuiet(() => counts.NOERROR);
  assert.deepEqual(counts, { NOERROR: 400 });
});

test('sends nothing to its own ports at its own addresses', async (context) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => other.close());
  await once(other, 'listening');
  const { port, counts } = await openServer(context, { otherPorts: [other.address().port] });
  other.send(whoami(), port, '127.0.0.1');
  other.on('message', () => assert.fail('the server responded to its own port'));
  await sendDatagrams(port, []);
  await sendDatagrams(port, []);
  assert.deepEqual(counts, { ignored: 1, NOERROR: 2 });
});

test('over the rate, responses of one network are no larger than the queries', async (context) => {
  // The second does not end.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { port } = await openServer(context, { responsesPerSecond: 5 });
  const messages = Array.from({ length: 15 }, (_, at) => whoami(at));
  const responses = await sendDatagrams(port, messages);
  assert.equal(responses.length, 15);
  const large = responses.filter((response) => response.length > whoami().length);
  assert.equal(large.length, 5);
});

test('sends nothing while the kernel accepts no more', async (context) => {
  // There is no load that makes it wait on every machine.
  const { port, counts } = await openServer(context, {}, { maxUnsentBytes: -1 });
  const socket = createSocket('udp4');
  socket.send(whoami(), port, '127.0.0.1');
  await until(() => counts.dropped);
  socket.close();
  assert.deepEqual(counts, { dropped: 1 });
});

test('a port that is in use over UDP or TCP is an error, or waited for', async (context) => {
  const tcp = createServer().listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as { port: number };
  await assert.rejects(new DnsServer(optionsOf({ port }).options).listen(), { code: 'EADDRINUSE' });
  const waiting = Promise.withResolvers<void>();
  const patient = new DnsServer(optionsOf({ port, onWaiting: waiting.resolve }, { portRetryMs: 1 }).options);
  context.after(() => patient.close(0));
  const listening = patient.listen();
  await waiting.promise;
  tcp.close();
  await listening;
  assert.equal(patient.port, port);
  assert.equal((await sendDatagrams(port, [whoami()])).length, 1);
  const hasty = new DnsServer(optionsOf({ port, onWaiting: () => void hasty.close(0) }, { portRetryMs: 1 }).options);
  await hasty.listen();
});

test('an address that this machine does not have yet does not prevent the others', async (context) => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const changes = { hosts: ['192.0.2.77', '127.0.0.1'], onMissing: (...given: unknown[]) => resolve(given) };
  const { port } = await openServer(context, changes, { addressRetryMs: 1 });
  assert.equal((await sendDatagrams(port, [whoami()])).length, 1);
  assert.deepEqual(await promise, ['192.0.2.77', 'EADDRNOTAVAIL']);
});

test('after it has closed, its ports are free', async () => {
  const { options } = optionsOf();
  const first = new DnsServer(options);
  await first.listen();
  const connection = await connectTo(first.port);
  await first.close(1_000);
  connection.destroy();
  const second = new DnsServer({ ...options, port: first.port });
  await second.listen();
  await second.close(0);
});
