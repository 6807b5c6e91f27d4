/** Upgrades a service twice while clients open connections; upgrade.test.ts runs it in a network namespace of its own. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { children, start, stop } from '../service-process.ts';

const clientCount = 8;
/** A loss is a matter of moments, so one upgrade could succeed by chance. */
const upgradeCount = 2;
const changed = { REUSE_PORT: 'on', CONNECTION_RATE: '0', RATE_LIMIT_GENERAL: '0' };

/** Sends requests one after the other, each on a new connection; returns the number of responses and the errors. */
function startClient(url: string) {
  let isEnding = false;
  const outcome = { served: 0, errors: [] as (string | undefined)[] };
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const sent = request(`${url}/ip`, { agent: false }, (response) => {
        response.resume().once('end', () => {
          outcome.served += 1;
          resolve();
        });
      });
      sent.once('error', ({ code }: NodeJS.ErrnoException) => {
        outcome.errors.push(code);
        resolve();
      });
      sent.end();
    });
  const running = (async () => {
    while (!isEnding) await send();
  })();
  return {
    async end() {
      isEnding = true;
      await running;
      return outcome;
    },
  };
}

try {
  let service = await start('', { changed });
  const { url } = service;
  const clients = Array.from({ length: clientCount }, () => startClient(url));
  for (let upgrade = 0; upgrade < upgradeCount; upgrade += 1) {
    const next = await start('', { changed: { ...changed, PORT: new URL(url).port } });
    assert.equal(await stop(service), 0);
    service = next;
  }
  const outcomes = await Promise.all(clients.map((client) => client.end()));
  const lost = outcomes.flatMap(({ errors }) => errors);
  assert.deepEqual(lost, []);
  for (const { served } of outcomes) assert.ok(served > 2 * upgradeCount, `${served} responses`);
  assert.equal(await stop(service), 0);
} finally {
  for (const child of children) child.kill('SIGKILL');
}
