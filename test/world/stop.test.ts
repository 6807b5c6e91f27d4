/** A service that is told to stop ends the lookups that run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveIn } from './service.ts';
import { openWorld, skipWithoutWorld } from './world.ts';

test('a lookup that runs when the service stops is answered', { skip: skipWithoutWorld() }, async () => {
  const world = await openWorld();
  try {
    const service = await serveIn(world);
    const answer = service.ask('/api/headers-check?url=http://late.test/');
    while ((await world.arrivals()).every(({ host }) => host !== 'late.test'));
    await service.close();
    assert.equal((await answer).status, 200);
    assert.match(service.printed(), /stopped\n$/);
  } finally {
    await world.close();
  }
});
