/** Starts the service in a child process whose memory a watchdog limits, and measures it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Start, Usage } from './victim.ts';

/** A regression must not fill the machine's memory: the watchdog kills the service above this growth. */
const maxGrowthMb = 600;
const watchIntervalMs = 50;

export interface ServiceProcess {
  readonly pid: number;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly metricsPort: number;
  /** The process for QUIC; 0 without one. */
  http3Pid(): number;
  readonly lines: readonly string[];
  /** Growth of the resident memory since the start, in MB, and the largest one. */
  growthMb(): number;
  peakMb(): number;
  usage(): Promise<Usage>;
  /** Value of a metric: its name with labels as in the exposition format; 0 if absent. */
  metric(row: string): Promise<number>;
  stop(): Promise<void>;
}

const victim = process.env.SEENBY_ABUSE_VICTIM ?? fileURLToPath(new URL('victim.ts', import.meta.url));

export async function startService(
  settings: Start['settings'] = {},
  bounds: Start['bounds'] = {},
): Promise<ServiceProcess> {
  const execArgv = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8'];
  const child = fork(victim, { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const lines: string[] = [];
  const waiting: ((reply: unknown) => void)[] = [];
  child.on('message', (message: { log: string } | { reply: unknown }) => {
    if ('log' in message) lines.push(message.log);
    else waiting.shift()?.(message.reply);
  });
  const exit = once(child, 'exit');
  const endedMessage = (): string => `the service ended after growing by ${peakMb.toFixed(0)} MB`;
  const send = (message: Start | 'usage'): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    waiting.push(resolve);
    exit.then(() => reject(new Error(endedMessage())));
    if (child.connected) child.send(message);
    return promise;
  };
  let peakMb = 0;
  const urls = (await send({ settings, bounds })) as Record<'http' | 'https' | 'metrics', string>;
  const startMb = residentMb(child.pid ?? 0);
  const growthMb = (): number => residentMb(child.pid ?? 0) - startMb;
  const watchdog = setInterval(() => {
    peakMb = Math.max(peakMb, growthMb());
    if (peakMb > maxGrowthMb) child.kill('SIGKILL');
  }, watchIntervalMs);
  exit.then(() => clearInterval(watchdog));
  const portOf = (url: string): number => Number(new URL(url).port);
  return {
    pid: child.pid ?? 0,
    httpPort: portOf(urls.http),
    httpsPort: portOf(urls.https),
    metricsPort: portOf(urls.metrics),
    http3Pid: () => childOf(child.pid ?? 0),
    lines,
    growthMb,
    peakMb: () => peakMb,
    usage: () => send('usage') as Promise<Usage>,
    async metric(row) {
      const text = await (await fetch(urls.metrics)).text();
      const line = text.split('\n').find((each) => each.startsWith(`${row} `));
      return Number(line?.slice(row.length) ?? 0);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.disconnect();
        await exit;
      }
    },
  };
}

/** The only child of a process; 0 without one. Linux. */
const childOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));

/** Resident memory of a process; 0 after its end. Linux. */
export function residentMb(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return (pages * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
}
