/** The state of a port, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePort } from '../../src/probes/port.ts';

test('names port, address, state and time', () => {
  const result = { ip: '192.0.2.1', port: 443, elapsedMs: 12 };
  assert.match(describePort({ ...result, state: 'open' }), /^Port 443 of 192\.0\.2\.1 is open\. .+ \(12 ms\)$/);
  assert.match(describePort({ ...result, state: 'closed' }), /is closed\. The connection was refused/);
  assert.match(describePort({ ...result, state: 'filtered' }), /is filtered\. There was no response/);
});
