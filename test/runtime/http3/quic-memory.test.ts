/** The memory of connections in the process for QUIC: the bounds of one and of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import type { HeldConnection } from '../../../src/native/quic/server-interface.ts';
import { QuicMemory } from '../../../src/runtime/http3/quic-memory.ts';

const kilobyte = 1_024;

/** Memory of 1,000 KB for a connection and 4,000 for all, with connections that each hold some KB. */
function createMemory() {
  const closed: string[] = [];
  let counted = 0;
  const bounds = { maxQuicConnectionBytes: 1_000 * kilobyte, maxQuicBytes: 4_000 * kilobyte, clientsOfNetwork: 16 };
  const onClosed = (): void => {
    counted += 1;
  };
  const identify = createIdentify();
  const memory = new QuicMemory(bounds, { holderOf: ({ ip }) => identify(ip) }, onClosed);
  const add = (name: string, ip: string, heldKb: number) => {
    const held = { heldKb };
    const close = (code: number): void => {
      assert.equal(code, errorCodes.excessiveLoad);
      closed.push(name);
    };
    memory.add({ ip, close } as unknown as HeldConnection, () => held.heldKb * kilobyte);
    return held;
  };
  return { memory, add, closed, counted: () => counted };
}

test('closes a connection that holds too much, and no other', () => {
  const { memory, add, closed, counted } = createMemory();
  add('usual', '192.0.2.1', 900);
  const growing = add('growing', '192.0.2.2', 900);
  memory.sweep();
  assert.deepEqual(closed, []);
  growing.heldKb = 1_001;
  memory.sweep();
  memory.sweep();
  assert.deepEqual(closed, ['growing']);
  assert.equal(counted(), 1);
});

test('closes connections of the largest holder while all hold too much', () => {
  const { memory, add, closed } = createMemory();
  for (let at = 0; at < 10; at += 1) add(`honest ${at}`, `198.51.100.${at}`, 60);
  for (let at = 0; at < 8; at += 1) add(`attacker ${at}`, '192.0.2.2', 500);
  memory.sweep();
  assert.deepEqual(closed, ['attacker 0', 'attacker 1']);
});
