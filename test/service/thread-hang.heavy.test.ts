/** A thread that hangs is replaced; one of a machine that was suspended is not. Nothing waits for a replacement. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { http1Client } from '../acceptance/client.ts';
import { writeMmdb } from '../mmdb.ts';
import { folder, start, stop } from '../service-process.ts';

const bounds = new URL('../../src/edges/node/limits/bounds.ts', import.meta.url);
const skip = process.platform !== 'linux' && 'one port for several threads needs Linux';

const cityFile = join(folder, 'city.mmdb');
writeFileSync(cityFile, writeMmdb({ databaseType: 'city', ipVersion: 4, networks: {} }));

/** Code of a thread: it hangs, in a call that blocks, because an endless loop would take a processor. */
const hang = `
  channel.postMessage('thread 1 hangs');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;

/** Changes the bound, and runs code in the first thread: on SIGUSR2, and at the start of its replacement. */
const preload = (threadTimeoutMs: number, onSignal = hang, onReplaced = ''): string => `
  import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';
  const channel = new BroadcastChannel('hang');
  channel.unref();
  if (isMainThread) {
    Object.assign((await import('${bounds}')).bounds, { threadTimeoutMs: ${threadTimeoutMs} });
    channel.onmessage = ({ data }) => console.log(data);
    process.on('SIGUSR2', () => {
      process.env.IS_REPLACED = 'yes';
      channel.postMessage('signal');
    });
  } else if (workerData.thread === 1) {
    channel.onmessage = () => setImmediate(() => { ${onSignal} });
    if (process.env.IS_REPLACED) { ${onReplaced} }
  }`;

/** Starts two threads, and returns how to read their metrics. */
async function startThreads(...code: Parameters<typeof preload>) {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preload(...code))}`;
  const changed = { THREADS: '2', METRICS_PORT: '0', GEOIP_CITY: cityFile, NODE_OPTIONS };
  const started = await start('', { changed });
  await started.prints(/\/metrics\n/);
  const url = `${/http:\S+\/metrics/.exec(started.printed())?.[0]}`;
  return { ...started, metrics: async (): Promise<string> => (await fetch(url)).text() };
}

test('a hung thread is replaced; a suspended machine replaces none', { skip }, async () => {
  const { child, url, printed, prints, metrics } = await startThreads(2_000);
  child.kill('SIGSTOP');
  await delay(2_500);
  child.kill('SIGCONT');

  child.kill('SIGUSR2');
  await prints(/^thread 1 did not respond for 2 seconds and was ended; its connections are lost$/m);
  assert.doesNotMatch(printed(), /^thread 2 did not respond/m);
  // By now, the service has run for two seconds since it was suspended.
  assert.equal(/^seenby_log_events_total\{event="thread_hung",level="error"\} (\d+)$/m.exec(await metrics())?.[1], '1');
  for (let each = 0; each < 20; each += 1) assert.equal((await http1Client(url).request('/ip')).status, 200);
  assert.equal(await stop({ child }), 0, printed());
  assert.doesNotMatch(printed(), /^thread \d ended/m);
});

test('the metrics respond without a hung thread', { skip }, async () => {
  const { child, prints, metrics } = await startThreads(3_600_000);
  child.kill('SIGUSR2');
  await prints(/^thread 1 hangs$/m);
  assert.match(await metrics(), /^seenby_log_events_total\{event="thread_hung",level="error"\} 0$/m);
  child.kill('SIGKILL');
});

test('reload, metrics and stop do not wait for the replacement of a thread that does not listen yet', {
  skip,
}, async () => {
  const { child, printed, prints, metrics } = await startThreads(3_600_000, 'process.exit(1)', hang);
  child.kill('SIGUSR2');
  await prints(/^thread 1 hangs$/m);
  child.kill('SIGHUP');
  await prints(/^reloaded the city database$/m);
  assert.match(await metrics(), /^seenby_log_events_total\{event="thread_ended",level="error"\} 1$/m);
  assert.equal(await stop({ child }), 0, printed());
});
