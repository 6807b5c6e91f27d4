/**
 * The benchmark: `npm run bench -- [ROW…] [--against CHECKOUT]`. Compares the service with a bare server in one run, and each value
 * with its budget; with `--against`, compares it with the service of another checkout instead.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isolate } from './process.ts';

if (process.platform !== 'linux') fail('the load uses system calls of Linux; run it in a container');
const { compareCheckouts, rowNames, run } = await import('./run.ts');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const unknown = positionals.find((name) => !rowNames.includes(name));
if (unknown !== undefined) fail(`there is no row "${unknown}"; choose from ${rowNames.join(', ')}`);
const isSelected = (name: string): boolean => positionals.length === 0 || positionals.includes(name);

if (await isolate()) {
  // Outside the isolated network and core: the simulated internet has a network of its own, with several servers.
  if (isSelected('lookups') && values.against === undefined) await import('./lookups.ts');
} else if (values.against === undefined) await run(isSelected);
else await compareCheckouts(resolve(values.against), isSelected);

function fail(problem: string): never {
  console.error(`bench: ${problem}`);
  process.exit(2);
}
