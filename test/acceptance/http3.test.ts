/** The acceptance suite against the Node edge over HTTP/3, with Bun. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Bun, findBun, http3Client, startBun } from './bun.ts';
import { acceptanceOfNode } from './node-edge.ts';

const program = findBun();
const bun: Bun | null = program === null ? null : startBun(program);
after(() => bun?.close());

if (bun !== null) acceptanceOfNode('Node edge', (_, __, http3) => [http3Client(http3, bun)]);

test('finds Bun, which npm installs', (context) => {
  if (bun !== null) return;
  assert.ok(!process.env.CI, 'Bun is not on this machine');
  context.skip('Bun is not on this machine');
});
