/** The check of a port of the client, without a network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { errors } from '../../../src/core/errors.ts';
import { type ConnectionFailure, type Platform, portStates } from '../../../src/core/platform.ts';
import { checkPort, PortCheck } from '../../../src/lookups/port/port-check.ts';
import { seenAll } from '../../observed.ts';

const platformWith = (outcome: Awaited<ReturnType<NonNullable<Platform['connectBack']>>>) => ({
  connectBack: async () => outcome,
});

test('returns address, port, state and whole milliseconds', async () => {
  for (const state of portStates) {
    const found = await checkPort('65535', seenAll, platformWith({ state, elapsedMs: 12.7 }));
    assert.deepEqual(PortCheck.parse(found), { ip: seenAll.ip, port: 65_535, state, elapsedMs: 13 });
  }
});

test('rejects everything but one port from 1 to 65535 before it connects', async () => {
  const connectBack = () => assert.fail('connected');
  for (const text of [
    '',
    '0',
    '65536',
    '-1',
    '+80',
    '080',
    '80.0',
    '8e1',
    '0x50',
    '80,81',
    ' 80',
    '٣',
    '99999999999999',
  ])
    await assert.rejects(checkPort(text, seenAll, { connectBack }), { code: 'invalid_query' }, text);
});

test('every failure is an error with a sentence of its own, and no state', async () => {
  const codes: Readonly<Record<ConnectionFailure, keyof typeof errors>> = {
    unknown: 'blocked_address',
    blocked: 'blocked_address',
    own: 'invalid_target',
    hosts_unknown: 'upstream_error',
    no_route: 'target_unreachable',
    overloaded: 'overloaded',
  };
  const messages = new Set<string>();
  for (const [failure, code] of Object.entries(codes)) {
    const platform = platformWith({ failure: failure as ConnectionFailure });
    await assert.rejects(checkPort('80', seenAll, platform), ({ code: actual, message }: Error & { code: string }) => {
      messages.add(message);
      return actual === code && message.endsWith('.');
    });
  }
  assert.equal(messages.size, Object.keys(codes).length);
});

test('is not enabled in a deployment that checks no ports, and in a terminal', async () => {
  await assert.rejects(checkPort('80', seenAll, { connectBack: null }), { code: 'not_enabled' });
  const platform = platformWith({ state: 'open', elapsedMs: 0 });
  await assert.rejects(checkPort('80', undefined, platform), { code: 'not_enabled' });
});
