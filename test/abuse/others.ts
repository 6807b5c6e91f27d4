/** Another client of the service: sends one small request after another and records what the service does meanwhile. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
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
const gapMs = 5;
const timeoutMs = 5_000;

/**
 * Sends requests to /ip on one connection until `isOver` or the time limit. The latency of a request is the CPU time that the service's
 * main thread uses before it responds: a busy machine lengthens every other time.
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
    const beforeMs = usedMs(pid);
    const ok = await requestOnce(agent, httpPort);
    times.push(usedMs(pid) - beforeMs);
    if (!ok) failures += 1;
    await delay(gapMs);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
  return { count: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** CPU time of a process's main thread. Linux. */
const usedMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

function requestOnce(agent: Agent, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/ip', agent, timeout: timeoutMs }, (response) => {
      response
        .resume()
        .on('end', () => resolve(true))
        .on('error', () => resolve(false));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
  });
}
