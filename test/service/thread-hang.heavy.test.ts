/** A thread that hangs is replaced; one of a machine that was suspended is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { http1Client } from '../acceptance/client.ts';
import { start, stop } from '../service-process.ts';

const bounds = new URL('../../src/edges/node/limits/bounds.ts', import.meta.url);
/** Shortens the bound, and makes the first thread hang on SIGUSR2, in a call that blocks: an endless loop would take a processor. */
const preload = `
  import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';
  const channel = new BroadcastChannel('hang');
  channel.unref();
  if (isMainThread) {
    Object.assign((await import('${bounds}')).bounds, { threadTimeoutMs: 2000 });
    process.on('SIGUSR2', () => channel.postMessage('hang'));
  } else if (workerData.thread === 1) channel.onmessage = () => setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`;

test('a hung thread is replaced, and the metrics respond without it; a suspended machine replaces none', {
  skip: process.platform !== 'linux' && 'one port for several threads needs Linux',
}, async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
  const { child, url, printed, prints } = await start('', {
    changed: { THREADS: '2', METRICS_PORT: '0', NODE_OPTIONS },
  });
  await prints(/\/metrics\n/);
  const metrics = async (): Promise<string> => (await fetch(`${/http:\S+\/metrics/.exec(printed())?.[0]}`)).text();
  const hungThreads = async (): Promise<string | undefined> =>
    /^seenby_log_events_total\{event="thread_hung",level="error"\} (\d+)$/m.exec(await metrics())?.[1];

  child.kill('SIGSTOP');
  await delay(2_500);
  child.kill('SIGCONT');
  await delay(500);
  assert.equal(await hungThreads(), '0');

  child.kill('SIGUSR2');
  await delay(100);
  assert.equal(await hungThreads(), '0');
  await prints(/^thread 1 did not respond for 2 seconds and was ended; its connections are lost$/m);
  assert.equal(await hungThreads(), '1');
  for (let each = 0; each < 20; each += 1) assert.equal((await http1Client(url).request('/ip')).status, 200);
  assert.equal(await stop({ child }), 0);
  assert.doesNotMatch(printed(), /^thread \d ended/m);
});
