/** Memory and CPU time of the service with the default of MAX_MEMORY in containers of several sizes: `npm run bench -- memory-limits`. */
import { setTimeout as wait } from 'node:timers/promises';
import { startServer } from './process.ts';
import { median, megabytes, microseconds, printLine, printMarkdown } from './report.ts';
import { rows } from './rows.ts';

/** MiB; null: none, and no limit. */
const containers = [128, 256, 512, null];
/** What MAX_MEMORY is in a container, if it is empty. */
const shareOfContainer = 3 / 4;
const rounds = 3;
/** After the start and after the flood: garbage of the start is collected, and free memory returned. */
const restMs = 5_000;
const floodMs = 8_000;

export async function measureMemoryLimits(): Promise<void> {
  printLine(
    `\nResident memory without mapped files at rest, after ${floodMs / 1000} s of /json over HTTP/2, and ${restMs / 1000} s later`,
  );
  const table: string[][] = [];
  for (const container of containers) {
    const maxMemory = container === null ? 0 : container * shareOfContainer;
    const measured: (readonly number[])[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await measureOnce(maxMemory));
    const [atRest = 0, flooded = 0, later = 0, cpuUs = 0] = [0, 1, 2, 3].map((at) =>
      median(measured.map((each) => each[at] ?? Number.NaN)),
    );
    const name = container === null ? 'no limit' : `${container} MiB`;
    table.push([name, ...[atRest, flooded, later].map((bytes) => `${megabytes(bytes)} MB`), microseconds(cpuUs)]);
  }
  printMarkdown(['Container', 'At rest', 'After the flood', 'Later', 'CPU for each request'], table);
}

/** Bytes at the three times, and microseconds of CPU for each request. */
async function measureOnce(maxMemory: number): Promise<readonly number[]> {
  const service = await startServer({ role: 'service', maxMemory });
  const load = rows['json-http2'].startLoad(service);
  await wait(restMs);
  const atRest = service.anonymousBytes();
  const before = service.cpuUs();
  const { count } = await load.run(floodMs);
  const cpuUs = (service.cpuUs() - before) / count;
  const flooded = service.anonymousBytes();
  await wait(restMs);
  const later = service.anonymousBytes();
  load.close();
  service.stop();
  return [atRest, flooded, later, cpuUs];
}
