/** What is read of a body that is too large. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ingressBounds } from '../../../src/ingress/bounds.ts';
import { Bodies } from '../../../src/ingress/limits/bodies.ts';

test('a body that is too large is discarded up to a bound', { timeout: 10_000 }, async () => {
  const never = 20_000;
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
