/** Other clients of the service: send one small request after another and records what the service does meanwhile. */
import { readFileSync } from 'node:fs';
import { Agent, get, type RequestOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type AttackConnection, connectAttacker, pause, requestFor } from '../quic-attacker.ts';
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
/** During a flood that keeps a core busy besides the service: only its CPU time is judged, and a busy machine lengthens each. */
const floodedTimeoutMs = 60_000;
/** Over HTTP/3, where a new connection and its request wait for this process, the attacker and two others: a busy machine lengthens each. */
const http3TimeoutMs = 20_000;

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
  const endMs = performance.now() + durationMs;
  const latency = await measure([pid], {
    isOver: () => performance.now() >= endMs || isOver(),
    request: (newAddress) =>
      requestOnce(httpPort, newAddress === null ? { agent } : { agent: false, localAddress: newAddress }),
  });
  agent.destroy();
  return latency;
}

/** The same over HTTP/3, with the CPU time of the process for QUIC besides. */
export async function measureHttp3Others(
  port: number,
  pids: readonly number[],
  isOver: () => boolean,
): Promise<Latency> {
  let kept: AttackConnection | null = null;
  const latency = await measure(pids, {
    isOver,
    async request(newAddress) {
      if (newAddress === null) {
        kept ??= await connectAttacker(port, address, http3TimeoutMs);
        return kept !== null && (await requestOverHttp3(kept));
      }
      const connection = await connectAttacker(port, newAddress, http3TimeoutMs);
      const ok = connection !== null && (await requestOverHttp3(connection));
      connection?.close();
      return ok;
    },
  });
  (kept as AttackConnection | null)?.close();
  return latency;
}

interface Measured {
  isOver(): boolean;
  /** Sends a request, from a new address or on a kept connection (null); returns whether there was a response. */
  request(newAddress: string | null): Promise<boolean>;
}

async function measure(pids: readonly number[], { isOver, request }: Measured): Promise<Latency> {
  const times: number[] = [];
  let failures = 0;
  while (!isOver()) {
    const isNew = times.length % 2 === 1;
    const { ok, ms } = await timeOf(pids, () => request(isNew ? newAddressOf(times.length) : null));
    times.push(ms);
    if (!ok) failures += 1;
    await delay(gapMs);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
  return { count: times.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Whether a request had a response, and the CPU time of the service until then, without this client's wait for a core. */
async function timeOf(pids: readonly number[], request: () => Promise<boolean>) {
  const usedMs = (): number => pids.reduce((sum, pid) => sum + schedulingOf(pid).usedMs, 0);
  const before = { usedMs: usedMs(), waitedMs: schedulingOf(process.pid).waitedMs };
  const ok = await request();
  return { ok, ms: Math.max(0, usedMs() - before.usedMs - (schedulingOf(process.pid).waitedMs - before.waitedMs)) };
}

/** The same for a request to /ip from an address, on a new connection to a host. */
export const timeFrom = (
  { httpPort, pid }: Pick<ServiceProcess, 'httpPort' | 'pid'>,
  host: string,
  localAddress: string,
) => timeOf([pid], () => requestOnce(httpPort, { host, agent: false, localAddress, timeout: floodedTimeoutMs }));

/** CPU time of a process's main thread, and its time in the queue for a core. Linux. */
function schedulingOf(pid: number) {
  const [used, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
}

async function requestOverHttp3(connection: AttackConnection): Promise<boolean> {
  const stream = connection.openStream();
  if (stream === null) return false;
  stream.write(requestFor('/ip'), true);
  const endMs = performance.now() + http3TimeoutMs;
  let hasEnded = false;
  while (!hasEnded && !connection.isClosed && performance.now() < endMs) {
    connection.handle();
    ({ hasEnded } = stream.read());
    if (!hasEnded) await pause(1);
  }
  stream.free();
  return hasEnded;
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
