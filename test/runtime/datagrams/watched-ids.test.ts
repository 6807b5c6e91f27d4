/** The ids for which requests wait, and what their threads learn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QueryMessage } from '../../../src/edges/node/name-server.ts';
import { WatchedIds } from '../../../src/runtime/datagrams/watched-ids.ts';

test('a limit is reported once to each request that waits', () => {
  const sent: (readonly [number, QueryMessage])[] = [];
  const watched = new WatchedIds(bounds);
  const waiterOf = (thread: number) => ({ send: (message: QueryMessage) => void sent.push([thread, message]) });
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
