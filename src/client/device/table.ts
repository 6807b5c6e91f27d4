/** Finds the maker, type and marketing name of an Android device by its model, in the generated table. */
import { readDeviceTable } from '#device-table';
import type { deviceTypes } from '../kinds.ts';

export interface KnownDevice {
  readonly vendor: string;
  readonly type: (typeof deviceTypes)[number] | null;
  /** Marketing name; null if the sources disagree about it. */
  readonly name: string | null;
  /** Whether the table has the whole model, not only its start. */
  readonly isWhole: boolean;
}

/** Sources and User-Agents write the same model with other cases and separators. */
export const keyOfModel = (model: string): string => model.toLowerCase().replace(/[^a-z\d+]/g, '');

const typeOfLetter: Readonly<Record<string, KnownDevice['type']>> = {
  m: 'mobile',
  t: 'tablet',
  v: 'smarttv',
  w: 'wearable',
  x: 'xr',
  c: 'console',
  e: 'embedded',
  d: 'desktop',
};

/** A line of the table has the models that begin with the same characters. */
export const groupLength = 3;

interface Table {
  readonly makers: readonly string[];
  /** Lines by the start of their keys. */
  readonly lines: ReadonlyMap<string, string>;
  /** Lines that were needed: the cells of each row by the rest of its key. A key that ends in `*` is the start of models. */
  readonly groups: Map<string, ReadonlyMap<string, string>>;
}

/** Read at the first model: most processes on a command line, and many clients, never need it. */
let table: Table | null = null;

function readTable(): Table {
  const [makers = '', ...lines] = readDeviceTable().split('\n');
  const byStart = new Map(lines.map((line) => [line.slice(0, line.indexOf('|')), line]));
  return { makers: makers.split('|'), lines: byStart, groups: new Map() };
}

function readGroup({ lines, groups }: Table, start: string): ReadonlyMap<string, string> {
  const rows = lines.get(start)?.split('|').slice(1) ?? [];
  const group = new Map(rows.map((row) => [row.slice(0, row.indexOf('\t')), row.slice(row.indexOf('\t') + 1)]));
  if (group.size > 0) groups.set(start, group);
  return group;
}

/** Returns what the table states about the whole model, else about its longest listed start. */
export function findDevice(model: string): KnownDevice | null {
  table ??= readTable();
  const key = keyOfModel(model);
  const start = key.slice(0, groupLength);
  const group = table.groups.get(start) ?? readGroup(table, start);
  const rest = key.slice(groupLength);
  const whole = group.get(rest);
  let row = whole;
  for (let end = rest.length; row === undefined && end >= 1; end--) row = group.get(`${rest.slice(0, end)}*`);
  if (row === undefined) return null;
  const [maker = '', type = '', name = ''] = row.split('\t');
  const vendor = table.makers[Number.parseInt(maker, 36)] ?? '';
  return { vendor, type: typeOfLetter[type] ?? null, name: name || null, isWhole: row === whole };
}
