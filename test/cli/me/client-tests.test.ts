/** The tests of `me` that need no DNS and no UDP, against services of other versions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notOffered, runTests } from '../../../src/cli/me/client-tests.ts';
import type { Send, ServiceConnection } from '../../../src/cli/service-connection.ts';

const measured = { tcpMs: 12, tlsMs: 30, tlsResumed: true, http2Ms: null, pingMs: null, quicMs: null };

/** A service that sends these responses. */
const serviceOf = (send: Send): ServiceConnection => ({ host: 'seenby.test', version: null, addresses: [], send });

/** A service with one response to each path. */
const serviceWith = (status: number, body: unknown) =>
  serviceOf(async (path) => {
    const found = path === '/round-trips' ? { status, body } : { status: 404, body: { message: 'No such endpoint.' } };
    return { ok: found.status === 200, status: found.status, json: async () => found.body, url: '' };
  });

test('shows the round trips that a service measured', async () => {
  const { roundTrips, resolver, udp } = await runTests(serviceWith(200, measured));
  assert.deepEqual(roundTrips, { reason: null, ...measured });
  assert.deepEqual([resolver, udp], [notOffered, notOffered]);
});

test('states why there are none', async () => {
  const reasonOf = async (status: number, body: unknown) => (await runTests(serviceWith(status, body))).roundTrips;
  assert.deepEqual(await reasonOf(404, { message: 'No such endpoint.' }), notOffered);
  assert.deepEqual(await reasonOf(200, { tcpMs: 'fast' }), notOffered);
  assert.deepEqual(await reasonOf(429, { message: 'Too many requests.' }), { reason: 'Too many requests.' });
  assert.deepEqual(await reasonOf(502, undefined), { reason: '/round-trips failed with status 502' });
  const failing = () => Promise.reject(new Error('closed'));
  assert.deepEqual((await runTests(serviceOf(failing))).roundTrips, { reason: 'the service is unreachable' });
});

test('a service that fails is not one that offers no test', async () => {
  for (const [status, json, reason] of [
    [429, async () => ({ message: 'Too many requests.' }), 'Too many requests.'],
    [502, () => Promise.reject(new SyntaxError()), '/api/probes failed with status 502'],
  ] as const) {
    const { resolver, udp } = await runTests(serviceOf(async () => ({ ok: false, status, json, url: '' })));
    assert.deepEqual([resolver, udp], [{ reason }, { reason }]);
  }
  const { resolver } = await runTests(serviceOf(() => Promise.reject(new Error('closed'))));
  assert.deepEqual(resolver, { reason: 'the service is unreachable' });
});

test('states that a process to resolve names ends before it has started', async (context) => {
  // Each process of Node that starts from here on ends at once.
  const { NODE_OPTIONS: before } = process.env;
  process.env.NODE_OPTIONS = '--require=/nonexistent.cjs';
  context.after(() => {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  });
  const offered = { dns: { zone: 'zone.example' }, stun: null, portCheck: false };
  const { resolver } = await runTests(
    serviceOf(async (path) => ({
      ok: path === '/api/probes',
      status: 200,
      json: async () => (path === '/api/probes' ? offered : {}),
      url: '',
    })),
  );
  assert.deepEqual(resolver, { reason: 'this machine could not run the process that resolves names' });
});
