/** What is read of a body that is too large. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ingressBounds } from '../../../src/ingress/bounds.ts';
import { Bodies } from '../../../src/ingress/limits/bodies.ts';
import { untilQuiet } from '../../until.ts';

test('a body that is too large is discarded up to a bound', async () => {
  const never = 1_000_000;
  const bounds = { ...ingressBounds, maxDiscardedBytes: 1_000, discardTimeoutMs: never, bodyTimeoutMs: never };
  const bodies = new Bodies(bounds, () => assert.fail('a bound of all bodies'));
  const source = new PassThrough();
  const expected = { declaredBytes: 0, maxBytes: 100, holder: null };
  const result = bodies.read(source, expected, () => {});
  for (let sent = 0; sent < 1_100; sent += 100) source.write(Buffer.alloc(100));
  assert.equal(await result, 'too_large');
  assert.equal(source.isPaused(), true);
  source.destroy();
});

for (const [name, declaredBytes] of [
  ['declared', 200],
  ['arriving', 0],
] as const)
  test(`a body that is too large (${name}) and does not end is rejected before the connection is closed`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const source = new PassThrough();
    const bodies = new Bodies(ingressBounds, () => assert.fail('a bound of all bodies'));
    const result = bodies.read(source, { declaredBytes, maxBytes: 100, holder: null }, () => {});
    source.write(Buffer.alloc(101));
    await untilQuiet();
    // requestTimeoutMs closes it without a response.
    context.mock.timers.tick(ingressBounds.requestTimeoutMs - 1);
    assert.equal(await Promise.race([result, 'not rejected']), 'too_large');
    source.destroy();
  });
