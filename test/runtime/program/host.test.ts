/** A program beside the service, from its start to its end: here a thread that runs a few lines. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { ProgramHost } from '../../../src/runtime/program/host.ts';
import { startThread } from '../../../src/runtime/program/start.ts';
import { until } from '../../until.ts';

const begin = `
  import { parentPort as port, workerData as start } from 'node:worker_threads';
  const report = (kind, more) => port.postMessage({ kind, ...more });
  port.on('message', ({ kind }) => (kind === 'close' ? process.exit() : report('pong')));`;

/** Hosts a program with this code, which knows the number of the start; returns what the host has reported. */
function host(context: TestContext, code: string, maxRestartMs: number = bounds.maxRestartMs) {
  const file = new URL(`data:text/javascript,${encodeURIComponent(begin + code)}`);
  const events: string[] = [];
  let starts = 0;
  const hosted = new ProgramHost<{ readonly kind: 'listening' | 'pong' }, never>({
    bounds: { ...bounds, restartMs: 1, maxRestartMs },
    logs: { log: (...[, message]) => events.push(`log: ${message}`), notice: (...[, text]) => events.push(text) },
    metrics: null,
    start(given) {
      starts += 1;
      return startThread(file, { workerData: starts }, given);
    },
    onReport: ({ kind }) => void (kind === 'pong' || events.push(kind)),
    onEnd: (isStartedAgain) => events.push(isStartedAgain ? 'ended' : 'ended for good'),
    describeFailedStart: (reason) => `could not start: ${reason}`,
    logEnd: (reason, _seconds, next) => events.push(`${reason}: ${next}`),
  });
  context.after(() => hosted.close());
  return { hosted, events };
}

test('is started again after its end, and ends with the service', async (context) => {
  const { hosted, events } = host(context, `report('listening'); if (start === 1) process.exit(3);`);
  await hosted.open();
  await until(() => events.length === 4);
  await hosted.ping();
  await hosted.close(async () => void events.push('requests ended'));
  const firstRun = ['listening', 'ended', 'exit code 3: starting it again in 0.001 seconds'];
  assert.deepEqual(events, [...firstRun, 'listening', 'requests ended', 'ended for good']);
});

for (const [when, maxRestartMs, seconds] of [
  ['later after each end', 3_600_000, [0.001, 0.002, 0.004]],
  // No thread starts and ends within two milliseconds.
  ['as soon as after its first end if it has run for the longest pause', 2, [0.001, 0.001, 0.001]],
] as const)
  test(`is started again ${when}`, async (context) => {
    const code = `report('listening'); if (start <= 3) process.exit(3);`;
    const { hosted, events } = host(context, code, maxRestartMs);
    await hosted.open();
    await until(() => events.length === 10);
    const restarts = events.filter((event) => event.startsWith('exit code'));
    assert.deepEqual(
      restarts,
      seconds.map((each) => `exit code 3: starting it again in ${each} seconds`),
    );
  });

test('does not delay the end of the service while it loads', async (context) => {
  const { hosted, events } = host(context, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
  const opened = assert.rejects(hosted.open(), { message: /^could not start: exit code [01]$/ });
  await hosted.close();
  await opened;
  assert.deepEqual(events, ['ended for good']);
});

test('is replaced without a pause also if nothing else keeps the process alive', () => {
  const sources = ['program/host.ts', 'program/start.ts'].map(
    (file) => new URL(`../../../src/runtime/${file}`, import.meta.url),
  );
  const code = `
    const [{ ProgramHost }, { startThread }] = await Promise.all(${JSON.stringify(sources)}.map((file) => import(file)));
    const file = new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(`${begin} report('listening'); setImmediate(() => process.exit(3));`)}`)});
    let starts = 0;
    const silent = () => {};
    new ProgramHost({
      bounds: {}, logs: { log: silent, notice: silent }, metrics: null, onReport: silent, onEnd: silent, logEnd: silent,
      pauses: { firstMs: 0, maxMs: 0 },
      start(events) {
        starts += 1;
        if (starts === 4) process.exit(4);
        return startThread(file, {}, events);
      },
    }).open();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(status, 4, stderr);
});

for (const [name, code, message] of [
  ['reports why', `report('failed', { reason: 'PORT: in use' });`, 'PORT: in use'],
  ['throws', 'throw new RangeError();', /^could not start: unexpected RangeError at /],
] as const)
  test(`that ${name} at its first start ends the service`, async (context) => {
    const { hosted, events } = host(context, code);
    await assert.rejects(
      hosted.open(async () => void events.push('requests ended')),
      { message },
    );
    assert.deepEqual(events.filter((event) => event !== 'failed').toSorted(), ['ended for good', 'requests ended']);
  });

test('that waits for a port lets the service go on, with a notice at each attempt', async (context) => {
  const { hosted, events } = host(
    context,
    `for (const text of ['one', 'two']) report('waiting', { args: ['http3_waiting', text] }); report('listening');`,
  );
  await hosted.open();
  await until(() => events.includes('listening'));
  assert.deepEqual(events, ['one', 'waiting', 'two', 'listening']);
});
