/** Runs the rows of the benchmark and prints them. */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { convertAsn, convertedFile } from '../src/runtime/databases/geoip-files.ts';
import { budgets, formatValue, type RowName, reportWorse, requiredOf } from './budgets.ts';
import { measureMemoryLimits } from './memory-limits.ts';
import { measureMixed } from './mixed.ts';
import { comparePeers } from './peers.ts';
import {
  clientAddress,
  dataDir,
  hasLocation,
  isAvailable,
  loadCore,
  runProgram,
  type ServerProcess,
  serverCore,
  startServer,
} from './process.ts';
import { median, microseconds, printLine, printMarkdown, printTable, residentOf, spread } from './report.ts';
import { compare, type Side } from './rounds.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';
import { measureStart } from './startup.ts';

const startRows = ['memory', 'start'] as const;

/** Every row that can be selected; the last five have a report of their own. */
export const rowNames: readonly string[] = [
  ...Object.keys(rows),
  ...startRows,
  'mixed',
  'rate-table',
  'user-agents',
  'peers',
  'memory-limits',
  'lookups',
];

type IsSelected = (name: string) => boolean;

function printConditions(): void {
  printLine(`Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`);
  printLine(
    serverCore === null
      ? 'This system cannot pin processes: load and server share the cores.'
      : `Server on core ${serverCore}, load on core ${loadCore}.`,
  );
  printLine(
    `Client address: ${hasLocation ? `${clientAddress}, in a network namespace` : 'loopback, so these responses contain NO LOCATION'}.`,
  );
  printLine('All limits are off; the rate limiter is measured separately.');
}

interface Measured {
  readonly name: RowName;
  readonly value: number;
  /** Cells of the table in docs/benchmarks.md. */
  readonly cells: readonly string[];
}

/** Measures the selected rows, `mixed` over `minutes`; makes this process fail if one is worse than its budget. */
export async function run(isSelected: IsSelected, minutes: number): Promise<void> {
  printConditions();
  if (convertedFile(dataDir) === null) await convertAsn(dataDir, () => {});
  const measured: Measured[] = [...(await compareRows(isSelected)), ...(await measureStarts(isSelected))];
  if (isSelected('mixed')) measured.push(await measureGrowth(minutes));
  if (isSelected('rate-table')) await runProgram('rate-table.ts', ['--expose-gc']);
  if (isSelected('user-agents')) await runProgram('user-agents.ts');
  if (isSelected('peers')) await comparePeers();
  if (isSelected('memory-limits')) await measureMemoryLimits();
  if (measured.length === 0) return;
  printLine('\nRows of docs/benchmarks.md');
  printMarkdown(
    ['', 'Seenby', 'Compared with', 'Result', 'Resident'],
    measured.map(({ cells }) => cells),
  );
  reportWorse(measured);
}

const sideOf = (server: ServerProcess, row: Row): Side => ({ server, load: row.startLoad(server) });

const columns = ['', 'service CPU', 'other CPU', 'result', '(middle half)', 'required', 'busy', 'resident'];

/** Kinds of visits that every instance gets. */
const usualVisits = [rows['json-new-connection'], rows['visit-json'], rows['visit-json-http2']];
/** Hundreds of visits of each kind. */
const usualVisitsMs = 400;

/**
 * Starts the service, and visits it in every usual way before it is measured: sockets of several classes reach Node's functions then, and V8
 * optimizes them for all of these. A service that has only had plain requests takes a tenth less for each, which no real one does.
 */
async function startVisitedService(folder?: string): Promise<ServerProcess> {
  const service = await startServer({ role: 'service' }, folder);
  for (const { startLoad } of usualVisits) {
    const load = startLoad(service);
    await load.run(usualVisitsMs);
    load.close();
  }
  return service;
}

async function compareRows(isSelected: IsSelected): Promise<Measured[]> {
  const selected = Object.entries(rows).filter(([name]) => isSelected(name));
  if (selected.length === 0) return [];
  printLine('\nCPU time per request; busy: the share of a core that each server used, 1 if the load was sufficient');
  const table = [columns];
  const measured: Measured[] = [];
  const shared = await startVisitedService();
  for (const [key, row] of selected) {
    const name = key as RowName;
    const missing = row.needs?.find((program) => !isAvailable(program));
    if (missing !== undefined) {
      printLine(`  ${name} is left out: ${missing} is not installed.`);
      continue;
    }
    const service = (await row.startService?.()) ?? shared;
    const bare = await row.startBare(service);
    const { cpuUs, cpuRatios, serviceUs, busy } = await compare([sideOf(service, row), sideOf(bare, row)], row.timing);
    const resident = residentOf([service, bare]);
    bare.stop();
    if (service !== shared) service.stop();
    const { title, digits } = budgets[name];
    const ratios = cpuRatios.map((ratio) => ('atLeast' in budgets[name] ? 1 / ratio : ratio));
    const values = row.isTime ? serviceUs.map((time) => time / 1000) : ratios;
    const value = median(values);
    const result = formatValue(name, value);
    const range = spread(values, digits);
    const perSecond = (Math.round(1e5 / cpuUs[0]) * 10).toLocaleString('en');
    measured.push({
      name,
      value,
      cells: [
        title,
        `${microseconds(cpuUs[0])} of CPU: ${perSecond} per CPU second`,
        row.comparedWith,
        `${result} (${range})`,
        resident,
      ],
    });
    const busyCell = busy.map((each) => each.toFixed(2)).join(' ');
    table.push([
      name,
      ...cpuUs.map(microseconds),
      result,
      range,
      formatValue(name, requiredOf(name)),
      busyCell,
      resident,
    ]);
  }
  shared.stop();
  printTable(table);
  return measured;
}

async function measureStarts(isSelected: IsSelected): Promise<Measured[]> {
  const selected = startRows.filter(isSelected);
  if (selected.length === 0) return [];
  const { seconds, residentMb, proportionalMb } = await measureStart();
  printLine(
    '\nStart as by `npm start`, one thread, with city and ASN databases (HTTP, HTTPS with a new certificate, all cores)',
  );
  printTable([
    ['', 'median', '(middle half)'],
    ['resident after the start (RSS)', `${median(residentMb).toFixed(0)} MB`, spread(residentMb, 0)],
    ['its own share (PSS)', `${median(proportionalMb).toFixed(0)} MB`, spread(proportionalMb, 0)],
    ['from process start to 200 on /ip', `${median(seconds).toFixed(2)} s`, spread(seconds, 2)],
  ]);
  const values = { memory: residentMb, start: seconds };
  return selected.map((name) => {
    const { title, digits } = budgets[name];
    const value = median(values[name]);
    return { name, value, cells: [title, '', '', `${formatValue(name, value)} (${spread(values[name], digits)})`, ''] };
  });
}

async function measureGrowth(minutes: number): Promise<Measured> {
  const value = await measureMixed(minutes);
  return {
    name: 'mixed',
    value,
    cells: [budgets.mixed.title, '', `over ${minutes} minutes`, formatValue('mixed', value), ''],
  };
}

/** Changes of a few percent show only in many short interleaved rounds; on a busy machine, in the least disturbed of them. */
const againstRounds = { rounds: 60, roundMs: 120 } as const;

/** Compares the service with that of another checkout. */
export async function compareCheckouts(folder: string, isSelected: IsSelected): Promise<void> {
  if (!existsSync(folder)) throw new Error(`--against: "${folder}" does not exist`);
  printConditions();
  printLine(`\nCPU time per request, compared with ${folder}; least: the quotient of the least fifths of both`);
  const service = await startVisitedService();
  const other = await startVisitedService(folder);
  const table = [['', 'this', 'other', 'this / other', '(middle half)', 'least', 'busy']];
  for (const [name, row] of Object.entries(rows).filter(([name]) => isSelected(name))) {
    const own = (await row.startService?.()) ?? null;
    const others = (await row.startService?.(folder)) ?? null;
    const sides = [sideOf(own ?? service, row), sideOf(others ?? other, row)] as const;
    const compared = await compare(sides, { ...row.timing, ...againstRounds });
    for (const each of [own, others]) each?.stop();
    const { cpuUs, leastUs, cpuRatios, busy } = compared;
    const least = (leastUs[0] / leastUs[1]).toFixed(3);
    const busyCell = busy.map((each) => each.toFixed(2)).join(' ');
    table.push([name, ...cpuUs.map(microseconds), median(cpuRatios).toFixed(3), spread(cpuRatios, 3), least, busyCell]);
  }
  service.stop();
  other.stop();
  printTable(table);
}
