/** Many lookups at the same time do not delay other clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { momentMs } from '../cpu-time.ts';
import { openInternet, skipWithoutInternet } from './internet.ts';
import { serveIn } from './service.ts';

const lookups = 250;

test(`${lookups} HTTPS lookups at the same time hardly delay another client`, {
  skip: skipWithoutInternet(),
}, async (context) => {
  const internet = await openInternet();
  try {
    const service = await serveIn(internet, { RATE_LIMIT_GENERAL: '0', CONNECTION_RATE: '0' });
    const check = async (at: number): Promise<number> => {
      // Each address is in a network of its own, because MAX_OUTBOUND limits both.
      const from = `25.${at}.0.1`;
      return (await service.request('/api/headers-check?url=https://well-kept.test/', { from })).status;
    };
    assert.equal(await check(251), 200);
    const script = fileURLToPath(new URL('waiting-client.ts', import.meta.url));
    const other = internet.spawn(process.execPath, [script, `${service.url}/ip`, '25.252.0.1', `${service.pid}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    const started = new Promise<void>((resolve) =>
      other.stdout?.on('data', (chunk) => {
        printed += chunk;
        resolve();
      }),
    );
    await started;
    const statuses = await Promise.all(Array.from({ length: lookups }, (_, at) => check(at)));
    other.kill();
    const lines = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    const waits = lines.map(([, ms = Number.NaN]) => ms);
    context.diagnostic(
      `${statuses.filter((each) => each === 200).length} results; ${waits.length} requests, longest wait ${Math.max(...waits)} ms`,
    );
    // On a busy machine, some lookups reach their time limit (504); others must not wait for them either.
    assert.ok(statuses.includes(200));
    assert.deepEqual(new Set([200, 504, ...statuses]), new Set([200, 504]));
    assert.deepEqual(new Set(lines.map(([status]) => status)), new Set([200]));
    // CPU time of the service, usually a third of it.
    assert.ok(Math.max(...waits) <= momentMs());
    await service.close();
  } finally {
    await internet.close();
  }
});
