/** The ids for which requests wait, and what their threads learn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QueryMessage } from '../../../src/edges/node/name-server.ts';
import { WatchedIds } from '../../../src/runtime/datagrams/watched-ids.ts';
import { until } from '../../until.ts';

function createWatched() {
  const sent: (readonly [number, QueryMessage])[] = [];
  const waiterOf = (thread: number) => ({ send: (message: QueryMessage) => void sent.push([thread, message]) });
  return { watched: new WatchedIds(bounds), sent, waiterOf };
}

test('a limit is reported once to each request that waits', () => {
  const { watched, sent, waiterOf } = createWatched();
  const one = waiterOf(1);
  const two = waiterOf(2);
  watched.receive(one, { kind: 'watch', id: 'a' });
  watched.receive(two, { kind: 'watch', id: 'b' });
  watched.receive(one, { kind: 'watch', id: 'c' });
  watched.receive(one, { kind: 'unwatch', id: 'c' });
  sent.length = 0;
  watched.reportLimit();
  watched.reportLimit();
  assert.deepEqual(sent, [
    [1, { kind: 'limited', id: 'a' }],
    [2, { kind: 'limited', id: 'b' }],
  ]);
  watched.receive(two, { kind: 'watch', id: 'd' });
  watched.reportLimit();
  assert.deepEqual(sent.at(-1), [2, { kind: 'limited', id: 'd' }]);
  assert.equal(sent.length, 4);
});

test('requests learn of the queries that are lost while they wait', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { watched, sent, waiterOf } = createWatched();
  let lost = 3;
  watched.countLossesBy(() => lost);
  const waiter = waiterOf(1);
  watched.receive(waiter, { kind: 'watch', id: 'a' });
  sent.length = 0;
  t.mock.timers.tick(bounds.lostQueriesMs);
  assert.deepEqual(sent, []);
  lost = 4;
  t.mock.timers.tick(bounds.lostQueriesMs);
  assert.deepEqual(sent, [[1, { kind: 'limited', id: 'a' }]]);
  watched.receive(waiter, { kind: 'unwatch', id: 'a' });
  lost = 5;
  t.mock.timers.tick(bounds.lostQueriesMs);
  watched.receive(waiter, { kind: 'watch', id: 'b' });
  sent.length = 0;
  t.mock.timers.tick(bounds.lostQueriesMs);
  assert.deepEqual(sent, []);
});

test('a confirmation says that queries may be missing if some were lost, or if the id was not watched', async () => {
  const { watched, sent, waiterOf } = createWatched();
  let lost = 0;
  watched.countLossesBy(() => lost);
  const waiter = waiterOf(1);
  watched.receive(waiter, { kind: 'watch', id: 'a' });
  sent.length = 0;
  const confirm = async (id: string): Promise<readonly string[]> => {
    sent.length = 0;
    watched.receive(waiter, { kind: 'confirm', id });
    await until(() => sent.some(([, { kind }]) => kind === 'confirmed'));
    return sent.map(([, { kind }]) => kind);
  };
  assert.deepEqual(await confirm('a'), ['confirmed']);
  assert.deepEqual(await confirm('b'), ['limited', 'confirmed']);
  lost = 1;
  assert.deepEqual(await confirm('a'), ['limited', 'confirmed']);
  watched.receive(waiter, { kind: 'unwatch', id: 'a' });
});
