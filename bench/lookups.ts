/** Lookups in a world of the tests: our own time, callers beside two hundred that wait, memory over ten thousand. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serveIn } from '../test/world/service.ts';
import { openWorld, worldLacks } from '../test/world/world.ts';
import type { LookupLoad } from './lookup-load.ts';
import { median, megabytes, printTargets, say, spread, table, target } from './report.ts';

const lacks = worldLacks();
if (lacks.length > 0) {
  say(`\nLookups were not measured: this machine lacks ${lacks.join(', ')}.`);
  process.exit();
}

await using world = Object.assign(await openWorld(), {
  async [Symbol.asyncDispose]() {
    await world.close();
  },
});
const service = await serveIn(world, {
  RATE_LIMIT_GENERAL: '0',
  RATE_LIMIT_LOOKUP: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
});

/** Runs the load with these arguments within the world. */
async function load<Name extends keyof LookupLoad>(name: Name, ...args: string[]): Promise<LookupLoad[Name]> {
  const program = fileURLToPath(new URL('lookup-load.ts', import.meta.url));
  const child = world.spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, service.url, name, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [printed] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
  return JSON.parse(printed);
}

const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

say(
  '\nLookups, against servers of the test world; direct: undici asks the same server on a new connection, name resolved',
);
const rows = [['', 'by the service', 'direct', 'difference', '(middle half)']];
for (const [name, difference] of Object.entries(await load('ownTime'))) {
  const { serviceMs, directMs } = difference;
  const differences = serviceMs.map((ms, at) => ms - (directMs[at] ?? 0));
  const own = median(differences);
  rows.push([
    name,
    ...[median(serviceMs), median(directMs), own].map((ms) => `${ms.toFixed(2)} ms`),
    spread(differences, 2),
  ]);
  target(`our own time in a lookup, ${name}`, own, { atMost: 2 }, 2, ' ms');
}
table(rows);

const { alone, beside } = await load('beside', '200');
const share = median(beside.map((perSecond, at) => perSecond / (alone[at] ?? 1)));
say(
  `\n/ip alone ${median(alone).toFixed(0)} a second, beside 200 lookups that hang ${median(beside).toFixed(0)}: ${share.toFixed(2)}`,
);
target('/ip beside 200 hanging lookups, share of alone', share, { atLeast: 0.9 }, 2);

await load('many', '2000');
const after: number[] = [];
for (let part = 0; part < 5; part++) {
  await load('many', '2000');
  after.push(residentBytes());
}
say(`\nResident after 2,000 lookups to warm up and each 2,000 of 10,000 more: ${after.map(megabytes).join(', ')} MB`);
target('growth over 8,000 lookups', ((after.at(-1) ?? 0) - (after[0] ?? 0)) / 1e6, { atMost: 10 }, 0, ' MB');
await service.close();
printTargets();
