/** Other clients of the service: send one small request after another and records what the service does meanwhile. */
import { readFileSync } from 'node:fs';
import { Agent, get, type RequestOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.ts';

/** Latencies in CPU time. */
export interface Latency {
  readonly count: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const address = '127.0.0.99';
/** Of a new connection: many addresses, so that CONNECTION_RATE permits all. */
const newAddressOf = (at: number): string => `127.0.3.${1 + (at % 250)}`;
const gapMs = 5;
const timeoutMs = 5_000;

/**
 * Sends requests to /ip, every other one on a new connection, until `isOver` or the time limit. The latency of a request is the CPU time
 * that the service's main thread uses before it responds, without the time for which this client waits for a core meanwhile: a busy machine
 * lengthens every other time.
 */
export async function measureOthers(
  { httpPort, pid }: Pick<ServiceProcess, 'httpPort' | 'pid'>,
  durationMs: number,
  isOver = () => false,
): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: address });
  const times: number[] = [];
  let failures = 0;
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs && !isOver()) {
    const before = { service: schedulingOf(pid), client: schedulingOf(process.pid) };
    const isNew = times.length % 2 === 1;
    const ok = await requestOnce(
      httpPort,
      isNew ? { agent: false, localAddress: newAddressOf(times.length) } : { agent },
    );
    const usedMs = schedulingOf(pid).usedMs - before.service.usedMs;
    times.push(Math.max(0, usedMs - (schedulingOf(process.pid).waitedMs - before.client.waitedMs)));
    if (!ok) failures += 1;
    await delay(gapMs);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
  return { count: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** CPU time of a process's main thread, and its time in the queue for a core. Linux. */
function schedulingOf(pid: number) {
  const [used, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
}

function requestOnce(port: number, connection: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/ip', timeout: timeoutMs, ...connection }, (response) => {
      response
        .resume()
        .on('end', () => resolve(true))
        .on('error', () => resolve(false));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
  });
}
