/** A service that stops completes its running lookups. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../until.ts';
import { skipWithoutInternet } from './internet.ts';
import { serveIn } from './service.ts';
import { sharedInternet } from './shared.ts';

test('completes a running lookup when the service stops', { skip: skipWithoutInternet() }, async () => {
  const internet = await sharedInternet();
  const service = await serveIn(internet);
  const response = service.request('/api/headers-check?url=http://late.test/');
  await until(async () => (await internet.arrivals()).some(({ host }) => host === 'late.test'));
  await service.close();
  assert.equal((await response).status, 200);
  assert.match(service.printed(), /stopped\n$/);
});
