/** A thread that ends by a fault is replaced, and takes only its own connections with it. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { http1Client } from '../acceptance/client.ts';
import { type RawClient, rawClient } from '../ingress/raw-client.ts';
import { environment } from '../service-process.ts';
import type { WayToEnd } from './crash.ts';

const program = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));
const preload = new URL('crash.ts', import.meta.url).href;
/** So many that both threads have some. */
const clientCount = 40;

interface Line {
  readonly event: string;
  readonly http: string;
  readonly metrics: string;
  readonly message: string;
}

test('is replaced after any fault, and ends the process after the fifth', async (context) => {
  const child = fork(program, ['serve'], {
    // Little memory, so that a thread fills it quickly.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=64', `--import=${preload}`],
    env: {
      ...environment,
      THREADS: '2',
      LOG_FORMAT: 'json',
      CONNECTION_RATE: '0',
      RATE_LIMIT_GENERAL: '0',
      METRICS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  context.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => {
    errors += text;
  });
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((each) => void each());
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line));
    wake();
  });
  let starts = 0;
  child.on('message', ({ thread }: { thread: number }) => {
    if (thread === 1) starts += 1;
    wake();
  });
  child.on('exit', wake);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) {
      assert.ok(child.exitCode === null && child.signalCode === null, `the process has ended: ${errors}`);
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  const of = (event: string): Line[] => lines.filter((line) => line.event === event);
  // Its output has ended too.
  const close = once(child, 'close');

  await until(() => of('listening').length === 1);
  const { http, metrics } = of('listening')[0] as Line;
  const connect = async (): Promise<RawClient> => {
    const client = rawClient(http, 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(client.socket, 'data');
    return client;
  };
  const clients = await Promise.all(Array.from({ length: clientCount }, connect));

  const countAccepted = async (): Promise<number> =>
    Number(/^seenby_connections_accepted_total (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1]);
  const accepted = await countAccepted();

  const reasons: Readonly<Record<WayToEnd, RegExp>> = {
    throw: /^thread 1 ended \(unexpected Error at .*crash\.ts.*\); its connections are lost$/,
    reject: /^thread 1 ended \(unexpected TypeError at .*\); its connections are lost$/,
    exit: /^thread 1 ended \(exit code 3\); its connections are lost$/,
    memory: /^thread 1 ended \(unexpected Error ERR_WORKER_OUT_OF_MEMORY.*\); its connections are lost$/,
  };
  for (const [at, way] of (['throw', 'memory', 'exit', 'reject', 'throw'] as const).entries()) {
    await until(() => starts === at + 1);
    child.send({ thread: 1, way });
    await until(() => of('thread_ended').length === at + 1);
    assert.match(of('thread_ended')[at]?.message ?? '', reasons[way]);
    if (at > 0) continue;
    // Counts of the thread that has ended stay.
    assert.ok(accepted >= clientCount && (await countAccepted()) >= accepted);
    const open = await Promise.all(clients.map(isServed));
    const served = open.filter(Boolean).length;
    assert.ok(served > 0 && served < clientCount, String(served));
    assert.equal((await http1Client(http).request('/ip')).status, 200);
  }
  const [code] = await close;
  assert.equal(code, 1);
  assert.match(
    of('threads_failing')[0]?.message ?? '',
    /^ending the process: thread 1 ended five times within 3600 seconds$/,
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
});

/** Whether the service responds to another request on this connection, or has closed it. */
function isServed({ socket, closed }: RawClient): Promise<boolean> {
  const response = new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)));
  socket.write('GET /ip HTTP/1.1\r\nHost: a\r\n\r\n');
  return Promise.race([response, closed.then(() => false)]);
}
