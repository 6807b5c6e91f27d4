/** Benchmarks of lookups in a simulated internet: added time, throughput during 200 hanging lookups, memory over 10,000 lookups. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missingRequirements, openInternet } from '../test/internet/internet.ts';
import { serveIn } from '../test/internet/service.ts';
import { type RowName, reportWorse } from './budgets.ts';
import type { LookupLoad } from './lookup-load.ts';
import { noLimits } from './no-limits.ts';
import { median, megabytes, printLine, printTable, spread } from './report.ts';

const missing = missingRequirements();
if (missing.length > 0) {
  printLine(`\nLookups were not measured: this machine lacks ${missing.join(', ')}.`);
  process.exit();
}

await using internet = Object.assign(await openInternet(), {
  async [Symbol.asyncDispose]() {
    await internet.close();
  },
});
const service = await serveIn(internet, noLimits);

/** Runs the load with these arguments in the simulated internet. */
async function load<Name extends keyof LookupLoad>(name: Name, ...args: string[]): Promise<LookupLoad[Name]> {
  const program = fileURLToPath(new URL('lookup-load.ts', import.meta.url));
  const child = internet.spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, service.url, name, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [output] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
  return JSON.parse(output);
}

const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

printLine(
  '\nLookups, with servers of the simulated internet; direct: undici queries the same server on a new connection, including name resolution',
);
const measured: { readonly name: RowName; readonly value: number }[] = [];
const rows = [['', 'through the service', 'direct', 'difference', '(middle half)']];
for (const [name, { serviceMs, directMs }] of Object.entries(await load('addedTime'))) {
  const differences = serviceMs.map((ms, at) => ms - (directMs[at] ?? 0));
  const addedMs = median(differences);
  rows.push([
    name,
    ...[median(serviceMs), median(directMs), addedMs].map((ms) => `${ms.toFixed(2)} ms`),
    spread(differences, 2),
  ]);
  measured.push({ name: 'lookup-time', value: addedMs });
}
printTable(rows);

const { alone, concurrent } = await load('hangingLookups', '200');
const share = median(concurrent.map((perSecond, at) => perSecond / (alone[at] ?? 1)));
printLine(
  `\n/ip alone ${median(alone).toFixed(0)} per second, during 200 hanging lookups ${median(concurrent).toFixed(0)}: ${share.toFixed(2)}`,
);
measured.push({ name: 'hanging-lookups', value: share });

await load('manyLookups', '2000');
const after: number[] = [];
for (let part = 0; part < 5; part++) {
  await load('manyLookups', '2000');
  after.push(residentBytes());
}
printLine(
  `\nResident after 2,000 lookups to warm up and each 2,000 of 10,000 more: ${after.map(megabytes).join(', ')} MB`,
);
measured.push({ name: 'lookup-growth', value: ((after.at(-1) ?? 0) - (after[0] ?? 0)) / 1e6 });
await service.close();
reportWorse(measured);
