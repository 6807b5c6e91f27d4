/** Another client of the service: sends one small request after another and records the latency. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.ts';

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
 * Sends requests to /ip on one connection until `isOver` or the time limit. The time in which the service's main thread, or this one,
 * waited for a processor is not part of a latency: on a busy machine, other processes decide it.
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
    const startedMs = performance.now();
    const waitedMs = waitingMs(pid) + waitingMs(process.pid);
    const ok = await requestOnce(agent, httpPort);
    const elsewhereMs = waitingMs(pid) + waitingMs(process.pid) - waitedMs;
    times.push(Math.max(0, performance.now() - startedMs - elsewhereMs));
    if (!ok) failures += 1;
    await delay(gapMs);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
  return { count: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Time that the main thread of a process has waited for a processor; 0 if the kernel does not state it, as only Linux does. */
function waitingMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

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
