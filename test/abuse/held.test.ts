/** Attacks of all protocols that the service has always withstood, on one service. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { roundsOf } from '../random.ts';
import { attackRunning } from './bounds.ts';
import type { FrameShape } from './frame-attacks.ts';
import { heldShapes } from './held-frames.ts';
import { type HeldWrites, heldWrites } from './held-writes.ts';
import { type ServiceProcess, startService } from './service-process.ts';

/** In `npm run test:all`, five attacks together and with more connections, otherwise all of a protocol. */
const isAll = process.env.SEENBY_ALL_TESTS === '1';
const groupsOf = <Shape extends string>(names: readonly Shape[]): readonly (readonly [string, readonly Shape[]])[] => {
  if (!isAll) return [['all together', names]];
  const groups = Map.groupBy(names, (name) => Math.floor(names.indexOf(name) / 5));
  return [...groups.values()].map((group) => [group.join(', '), group] as const);
};
const frameShapes = Object.keys(heldShapes) as FrameShape[];
const connections = isAll ? 10 : 2;
/** An attack ends when all of its connections are closed; a busy machine takes this long. */
const holdMs = 50_000;

describe('the service withstands', () => {
  let service: ServiceProcess;
  // Memory counts since the start.
  (isAll ? beforeEach : before)(async () => {
    const times = {
      idleTimeoutMs: 3_000,
      stallTimeoutMs: 3_000,
      bodyTimeoutMs: 2_000,
      headersTimeoutMs: 2_000,
      requestTimeoutMs: 4_000,
      helloTimeoutMs: 3_000,
      handshakeTimeoutMs: 3_000,
    };
    // No lookup leaves this machine.
    const settings = { CONNECTION_RATE: '0', RATE_LIMIT_TOOLS: '0', DOH_URL: 'http://127.0.0.1:9/dns-query' };
    service = await startService(settings, times);
  });
  (isAll ? afterEach : after)(() => service.stop());

  for (const [name, shapes] of groupsOf([...frameShapes, 'fields']))
    test(`HTTP/2 frames: ${name}`, async (context) => {
      const attack = { shapes, connections, frames: 5_000, holdMs };
      const { result } = await attackRunning(context, service, { name: 'sendFrames', attack });
      context.diagnostic(JSON.stringify(result));
      for (const shape of shapes) assert.equal(result[shape]?.open, 0, shape);
    });

  for (const [name, shapes] of groupsOf(Object.keys(heldWrites) as HeldWrites[]))
    test(`HTTP/1 requests: ${name}`, async (context) => {
      const attack = { shapes, connections, writes: 200, holdMs };
      const { result } = await attackRunning(context, service, { name: 'sendWrites', attack });
      context.diagnostic(JSON.stringify(result));
      for (const shape of shapes) assert.equal(result[shape], 0, shape);
    });

  const stalled = roundsOf(5_000);
  test(`${stalled} handshakes that stop after half of the ClientHello, or after all of it`, async (context) => {
    const attack = { count: stalled, holdMs };
    const { result } = await attackRunning(context, service, { name: 'stallHandshakes', attack });
    assert.equal(result.open, 0);
  });

  test('TLS records of one byte, and sessions that are resumed again and again', async (context) => {
    const attack = { count: roundsOf(50), holdMs };
    const { result } = await attackRunning(context, service, { name: 'wasteRecords', attack });
    assert.equal(result.open, 0);
    assert.ok(result.resumed > 0);
  });

  test('requests for new TLS keys without end', async (context) => {
    const attack = { count: roundsOf(6_000), holdMs };
    const { result } = await attackRunning(context, service, { name: 'updateKeys', attack });
    assert.ok(result.updates > 0);
  });

  test('pipelined scrapes of the metrics port, unread', async (context) => {
    const attack = { path: '/metrics', coding: '', requests: 2_000, connections: 4, holdMs: 2_000 };
    await attackRunning(context, service, { port: 'metricsPort', name: 'pipelineRequests', attack });
    assert.equal((await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).status, 200);
  });

  for (const [body, status] of [
    ['ten requests for the list of tools', 200],
    ['5,200 capabilities', 400],
    ['30,000 brackets', 400],
    ['a batch of 14,000 numbers', 400],
    ['7,000 arguments', 400],
    ['names of Object.prototype', 200],
    ['the same key 5,000 times', 400],
  ] as const)
    test(`10 connections with messages of ${body}`, async (context) => {
      const requests = roundsOf(100);
      const attack = { body, connections: 10, requests, limitMs: holdMs };
      const { result } = await attackRunning(context, service, { name: 'callTools', attack });
      assert.deepEqual(result.statuses, { [status]: 10 * requests });
    });
});
