/** `seenby zone check` names each fault of a delegation in its first line, and to do what the line says mends the fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { addresses, faults } from './zone-faults.ts';
import type { Outcome } from './zone-faults-scenario.ts';

const skip = skipWithoutNamespaces(
  'ip',
  'nft',
  'setpriv',
  'named',
  'nsd',
  'unbound',
  'dnssec-keygen',
  'dnssec-signzone',
);
const setUp = `
  set -e
  ip link set lo up
  ${Object.values(addresses)
    .map((address) => `ip addr add ${address}/32 dev lo`)
    .join('\n')}
  exec "$@"
`;
const scenario = fileURLToPath(new URL('zone-faults-scenario.ts', import.meta.url));
/** Scenarios at the same time: they mostly wait for servers that do not respond. */
const shares = 4;

test(`each of ${Object.keys(faults).length} faults has its own first line, and following it mends the fault`, {
  skip,
  timeout: 300_000,
}, async (context) => {
  const names = Object.keys(faults);
  const outcomes = await Promise.all(
    Array.from({ length: shares }, async (_, share) => {
      const own = names.filter((_name, at) => at % shares === share);
      return (await runInNamespace(setUp, scenario, own)) as readonly Outcome[];
    }),
  );
  const all = outcomes.flat();
  assert.equal(all.length, names.length);
  for (const { fault, broken, isFollowed, mended } of all) {
    const [line = ''] = broken.lines;
    context.diagnostic(`${fault}: ${line}`);
    assert.match(line, /^failed {3}/, fault);
    assert.match(line.slice('failed   '.length), faults[fault]?.[1] ?? /^$/, fault);
    assert.deepEqual([broken.exitCode, isFollowed], [1, true], fault);
    assert.deepEqual([mended.exitCode, mended.lines.filter((each) => !each.startsWith('ok '))], [0, []], fault);
  }
  assert.equal(new Set(all.map(({ broken }) => broken.lines[0])).size, all.length);
});
