/** The connections of a client that wait for the end of its requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestsInFlight } from '../../../src/native/quic/requests-in-flight.ts';

const flow = '192.0.2.1';

test('the end of a request wakes the connection that has waited longest, and that of the last one all others', () => {
  const requests = new RequestsInFlight(2);
  const woken: number[] = [];
  const waiting = [0, 1, 2, 3].map((n) => ({ flow, wake: () => woken.push(n) }));
  for (let n = 0; n < 2; n += 1) requests.add(flow);
  for (const each of waiting) assert.equal(requests.hasRoom(each), false);
  requests.remove(flow);
  assert.deepEqual(woken, [0]);
  // The first one had nothing to start, so that only one request is left whose end can wake the others.
  requests.remove(flow);
  assert.deepEqual(woken, [0, 1, 2, 3]);
  assert.equal(requests.hasRoom({ flow, wake() {} }), true);
});
