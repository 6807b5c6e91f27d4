/** Starts of the service as by `npm start`: time to the first response, and memory when it has settled. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { responseTo } from './http1-load.ts';
import { clientAddress, startAsUser } from './process.ts';

/** The first start warms the file cache and does not count. */
const starts = 6;
/** After the start, modules are prepared and what loading left behind is collected. */
const settleMs = 3000;

export interface Starts {
  readonly seconds: readonly number[];
  readonly residentMb: readonly number[];
  /** Pages that other processes map too count in part. */
  readonly proportionalMb: readonly number[];
}

export async function measureStart(): Promise<Starts> {
  const measured = [];
  for (let each = 0; each < starts; each += 1) measured.push(await startOnce());
  const [, ...counted] = measured;
  return {
    seconds: counted.map(({ seconds }) => seconds),
    residentMb: counted.map(({ rollup }) => megabytesOf(rollup, 'Rss')),
    proportionalMb: counted.map(({ rollup }) => megabytesOf(rollup, 'Pss')),
  };
}

async function startOnce(): Promise<{ readonly seconds: number; readonly rollup: string }> {
  const began = performance.now();
  const child = startAsUser();
  try {
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) {
      const port = /http:\/\/\S+:(\d+)$/.exec(line.trim())?.[1];
      if (port === undefined) continue;
      const request = { host: clientAddress, port: Number(port), path: '/ip', headers: { Host: 'seenby.example' } };
      const { status } = await responseTo(request);
      if (status !== 200) throw new Error(`/ip: status ${status}`);
      const seconds = (performance.now() - began) / 1000;
      await wait(settleMs);
      return { seconds, rollup: readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8') };
    }
    throw new Error('the service ended before it listened');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

const megabytesOf = (rollup: string, name: 'Rss' | 'Pss'): number =>
  (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? Number.NaN) * 1024) / 1e6;
