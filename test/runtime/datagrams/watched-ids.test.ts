/** The ids for which requests wait, and what their threads learn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QueryMessage } from '../../../src/edges/node/name-server.ts';
import { WatchedIds } from '../../../src/runtime/datagrams/watched-ids.ts';

test('a limit is reported once to each request that waits', () => {
  const sent: (readonly [number, QueryMessage])[] = [];
  const watched = new WatchedIds(bounds, (thread, message) => sent.push([thread, message]));
  watched.receive(1, { kind: 'watch', id: 'a' });
  watched.receive(2, { kind: 'watch', id: 'b' });
  watched.receive(1, { kind: 'watch', id: 'c' });
  watched.receive(1, { kind: 'unwatch', id: 'c' });
  sent.length = 0;
  watched.limit();
  watched.limit();
  assert.deepEqual(sent, [
    [1, { kind: 'limited', id: 'a' }],
    [2, { kind: 'limited', id: 'b' }],
  ]);
  watched.receive(2, { kind: 'watch', id: 'd' });
  watched.limit();
  assert.deepEqual(sent.at(-1), [2, { kind: 'limited', id: 'd' }]);
  assert.equal(sent.length, 4);
});
