/** Handshakes with costly groups take more of their address's share. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { handshakeCost } from '../../../src/ingress/limits/handshake-cost.ts';
import { serve } from '../serve.ts';

const u16 = (value: number): number[] => [value >> 8, value & 0xff];

/** The body of a ClientHello that supports these groups, with key shares of some. */
function helloWith(groups: readonly number[], shares: readonly number[]): Buffer {
  const supported = groups.flatMap(u16);
  const shared = shares.flatMap((group) => [...u16(group), ...u16(3), 1, 2, 3]);
  const extension = (type: number, content: number[]): number[] => [
    ...u16(type),
    ...u16(content.length + 2),
    ...u16(content.length),
    ...content,
  ];
  const extensions = [...extension(10, supported), ...extension(51, shared)];
  return Buffer.from([
    3,
    3,
    ...Buffer.alloc(32),
    0,
    ...u16(2),
    0x13,
    1,
    1,
    0,
    ...u16(extensions.length),
    ...extensions,
  ]);
}

const group = { x25519: 0x1d, p256: 0x17, p384: 0x18, p521: 0x19, grease: 0x0a0a };

test('the cost is that of the cheapest group with a share, else of the cheapest that is supported', () => {
  assert.equal(handshakeCost(helloWith([group.grease, group.x25519], [group.grease, group.x25519])), 1);
  assert.equal(handshakeCost(helloWith([group.x25519, group.p384], [group.p384])), 5);
  assert.equal(handshakeCost(helloWith([group.p384, group.p521], [])), 5);
  assert.equal(handshakeCost(helloWith([group.p384, group.p256], [group.p384, group.p256])), 1);
  const hello = helloWith([group.p384], [group.p384]);
  for (let length = 0; length < hello.length; length += 1) assert.ok(handshakeCost(hello.subarray(0, length)) >= 1);
});

test('a handshake with a costly group begins after as many turns of its address, and one of a cheap group at once', async (context) => {
  let turns = 0;
  const { httpsPort, ingress } = await serve(context, () => {});
  const { scheduler } = ingress.connections.context;
  const add = scheduler.add.bind(scheduler);
  scheduler.add = (step, flow, kind) => {
    const counted = (): boolean => {
      turns += 1;
      return step();
    };
    add(counted, flow, kind);
  };
  const connectWith = async (ecdhCurve: string): Promise<void> => {
    const options = { port: httpsPort, rejectUnauthorized: false, ecdhCurve, ALPNProtocols: ['http/1.1'] };
    const socket = connect(options);
    await once(socket, 'secureConnect');
    socket.destroy();
  };
  await connectWith('P-384');
  assert.equal(turns, 5);
  await connectWith('X25519');
  // At once, or in one turn on a busy machine.
  assert.ok(turns <= 6, `${turns}`);
});
