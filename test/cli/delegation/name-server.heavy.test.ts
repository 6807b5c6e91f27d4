/** What a query to a name server shows on machines that cannot reach it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces } from '../../network-namespace.ts';

test('a server to which this machine has no route is not tested', { skip: skipWithoutNamespaces() }, async () => {
  const scenario = fileURLToPath(new URL('name-server-scenario.ts', import.meta.url));
  const untested = ['untested', 'untested'];
  assert.deepEqual(await runInNamespace('exec "$@"', scenario), {
    withoutRoute: { '192.0.2.1': untested, '2001:db8::1': untested },
    withoutIpv6: untested,
  });
});
