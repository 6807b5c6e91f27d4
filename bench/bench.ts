/**
 * The benchmark: `npm run bench -- [ROW…] [--minutes N] [--against CHECKOUT]`. Compares the service with a bare server in one run, and
 * each value with its budget; `--minutes` is the duration of the row `mixed`. With `--against`, compares the service with that of another
 * checkout instead.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isolate } from './process.ts';

if (process.platform !== 'linux') fail('the load uses system calls of Linux; run it in a container');
const { compareCheckouts, rowNames, run } = await import('./run.ts');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, minutes: { type: 'string', default: '60' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) fail('--minutes takes a number above 0');
const unknown = positionals.find((name) => !rowNames.includes(name));
if (unknown !== undefined) fail(`there is no row "${unknown}"; choose from ${rowNames.join(', ')}`);
// An hour of visits only if it is asked for.
const isSelected = (name: string): boolean =>
  positionals.includes(name) || (positionals.length === 0 && name !== 'mixed');

if (await isolate()) {
  // Outside the isolated network and core: the simulated internet has a network of its own, with several servers.
  if (isSelected('lookups') && values.against === undefined) await import('./lookups.ts');
} else if (values.against === undefined) await run(isSelected, minutes);
else await compareCheckouts(resolve(values.against), isSelected);

function fail(problem: string): never {
  console.error(`bench: ${problem}`);
  process.exit(2);
}
