/** The service reports its state to systemd by the protocol of sd_notify(3). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { NotifySocket } from '../notify-socket.ts';
import { folder, start, stop } from '../service-process.ts';

/** Loaded only on Linux: elsewhere ffi has no such functions. */
async function listenNotify(path: string): Promise<NotifySocket> {
  return (await import('../notify-socket.ts')).listenNotify(path);
}

const skip = process.platform === 'linux' ? false : 'needs Linux';

describe('notifications', { skip }, () => {
  for (const path of [join(folder, 'notify'), `@seenby-test-${process.pid}`])
    test(`are sent to ${path[0] === '@' ? 'an abstract socket' : 'a path'} when the service starts, reloads and stops`, async (t) => {
      const socket = await listenNotify(path);
      t.after(socket.close);
      const started = await start('', { changed: { NOTIFY_SOCKET: path } });
      assert.deepEqual(await socket.next('READY=1'), [`STATUS=Listening on ${started.url}`]);
      const beforeMicroseconds = process.hrtime.bigint() / 1000n;
      started.child.kill('SIGHUP');
      const [clock = ''] = await socket.next('RELOADING=1');
      const [, reloadedMicroseconds = ''] = /^MONOTONIC_USEC=(\d+)$/.exec(clock) ?? [];
      assert.ok(BigInt(reloadedMicroseconds) > beforeMicroseconds, clock);
      await socket.next('READY=1');
      // The line may arrive after the notification.
      await started.prints(/^reloaded the city database$/m);
      assert.equal(await stop(started), 0);
      assert.deepEqual(await socket.next('STOPPING=1'), [
        'EXTEND_TIMEOUT_USEC=10000000',
        'STATUS=Completing open requests',
      ]);
      assert.deepEqual(socket.take(), []);
    });

  test('include WATCHDOG=1 as long as the event loop runs, for the process that is watched', async (t) => {
    const path = join(folder, 'watchdog');
    const socket = await listenNotify(path);
    t.after(socket.close);
    const block = "process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))";
    const changed = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '200000' };
    const { child } = await start(block, { changed });
    await socket.next('READY=1');
    for (let count = 0; count < 3; count += 1) await socket.next('WATCHDOG=1');
    child.kill('SIGUSR2');
    // A notification may be on its way; then there is silence.
    for (let silentMs = 0; silentMs < 600; silentMs += 100) {
      await delay(100);
      if (socket.take().length > 0) silentMs = 0;
    }
    child.kill('SIGKILL');
    const other = await start('', { changed: { ...changed, WATCHDOG_PID: '1' } });
    await socket.next('READY=1');
    await delay(400);
    assert.deepEqual(socket.take(), []);
    assert.equal(await stop(other), 0);
  });

  test('are left to the service itself: its children do not inherit the variables', async (t) => {
    const path = join(folder, 'children');
    const socket = await listenNotify(path);
    t.after(socket.close);
    const print = "process.on('SIGUSR2', () => require('child_process').spawnSync('env', { stdio: 'inherit' }))";
    const changed = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '60000000', LAST: 'yes' };
    const started = await start(print, { changed });
    started.child.kill('SIGUSR2');
    await started.prints(/^LAST=yes$/m);
    assert.equal(await stop(started), 0);
    assert.doesNotMatch(started.printed(), /NOTIFY_SOCKET|WATCHDOG/);
  });

  test('that fail are logged once, and the service continues', async () => {
    const started = await start('', { changed: { NOTIFY_SOCKET: join(folder, 'nobody'), WATCHDOG_USEC: '20000' } });
    await delay(100);
    assert.equal(await stop(started), 0);
    assert.equal(started.printed().match(/did not receive READY=1; check NOTIFY_SOCKET$/gm)?.length, 1);
    assert.doesNotMatch(started.printed(), /WATCHDOG/);
  });

  test('that this Node cannot send are logged with what to change', async () => {
    for (const path of ['vsock:2:1234', `/${'x'.repeat(108)}`]) {
      const started = await start('', { changed: { NOTIFY_SOCKET: path } });
      assert.equal(await stop(started), 0);
      assert.match(started.printed(), /^cannot notify the service manager .*; set Type=exec and WatchdogSec=0$/m);
    }
    const module = new URL('../../src/runtime/service-manager.ts', import.meta.url).href;
    const script = `(await import('${module}')).openServiceManager({ NOTIFY_SOCKET: '/x' }, console.log)`;
    const withoutFfi = ['--permission', '--allow-fs-read=*', '--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, withoutFfi, { encoding: 'utf8' });
    assert.match(
      stdout,
      /^manager_unreachable cannot notify the service manager .*; set Type=exec and WatchdogSec=0\n$/,
    );
  });
});
