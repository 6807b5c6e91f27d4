/** Changed datagrams of real clients, sent from new addresses and from those of open connections. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bunFetch, ngtcp2, openConnections, skipBun, skipNgtcp2 } from '../../quic-clients.ts';
import { mutationOf, roundsOf } from '../../random.ts';
import { startResponder } from './responder.ts';
import { startUdpRelay } from './udp-relay.ts';

/** SEED repeats a run. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const packets = Number(process.env.PACKETS ?? roundsOf(10_000));
const atOnce = 50;

test('survives changed packets, and serves everybody else', {
  skip: skipBun || skipNgtcp2,
  timeout: 600_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}, ${packets} packets`);
  await using responder = await startResponder('ok');
  await using relay = await startUdpRelay(responder.port);
  await bunFetch(`https://127.0.0.1:${relay.port}/`, 65);
  await ngtcp2(relay.port, 'https://localhost/', ['--nstreams=10']);
  await using open = await openConnections(relay.port, 5);
  assert.equal(open.certificates.length, 5);
  const mutations = fc.sample(mutationOf(relay.fromClients), { seed, numRuns: packets });
  const stranger = createSocket('udp4');
  await once(stranger.bind(0, '127.0.0.1'), 'listening');
  const ports = relay.clientPorts;
  for (let at = 0; at < mutations.length; at += 1) {
    const bytes = mutations[at] as Buffer;
    if (at % 2 === 0) stranger.send(bytes, responder.port, '127.0.0.1');
    else relay.sendAs(ports[at % ports.length] as number, bytes);
    if (at % atOnce === 0) await new Promise(setImmediate);
  }
  assert.match((await ngtcp2(responder.port, 'https://localhost/')).printed, /\[:status: 200\]/);
  assert.deepEqual(await bunFetch(`https://127.0.0.1:${responder.port}/`, 3), Array(3).fill([200, 'ok']));
  stranger.close();
});
