/** The test of DNS for visitors who share a resolver: in a flood with forged addresses of its network, and all at the same time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programs, setUp } from '../internet/delegation.ts';
import { addresses } from '../internet/recursive-resolvers.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { classSize, type FloodResult, forged, perSecond } from './resolver-flood.ts';

const scenario = fileURLToPath(new URL('resolver-flood-scenario.ts', import.meta.url));
const withForged = `${forged.map((address) => `ip addr add ${address}/24 dev lo`).join('\n')}\n${setUp}`;

test(`up to ${perSecond} forged queries a second: nine of ten tests show the resolver, and say that responses were limited`, {
  skip: skipWithoutNamespaces(...programs),
}, async (context) => {
  const result = (await runInNamespace(withForged, scenario, ['flood'])) as FloodResult;
  const { visitors, sent, sentBytes, received, receivedBytes } = result;
  context.diagnostic(`${sent} queries, ${received} responses; ${receivedBytes} bytes for ${sentBytes}`);
  const shown = visitors.filter(({ resolvers }) => resolvers.some(({ address }) => address === addresses.resolver));
  assert.ok(shown.length >= 9, `${shown.length} of ${visitors.length} tests show the resolver`);
  assert.ok(visitors.every(({ limited }) => limited));
  assert.ok(receivedBytes < sentBytes);
});

test(`${classSize} visitors at the same time behind one address and one resolver all see this resolver`, {
  skip: skipWithoutNamespaces(...programs),
}, async () => {
  const { visitors } = (await runInNamespace(setUp, scenario, ['class'])) as FloodResult;
  const shown = visitors.map(({ resolvers = [] }) => resolvers.map(({ address }) => address));
  assert.deepEqual(shown, new Array(classSize).fill([addresses.resolver]));
});
