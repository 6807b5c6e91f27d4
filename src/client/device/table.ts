/** Finds the maker, type and marketing name of an Android device by its model, in the generated table. */
import { readDeviceTable } from '#device-table';
import { deviceTypes } from '../kinds.ts';

/** Sources and User-Agents write the same model with other cases and separators. */
export const keyOfModel = (model: string): string => model.toLowerCase().replace(/[^a-z\d+]/g, '');

/** A line of the table has the models that begin with the same characters. */
export const groupLength = 4;

type Table = NonNullable<ReturnType<typeof readTable>>;

/** Read at the first model: most processes on a command line, and many clients, never need it. */
let table: Table | null = null;

/**
 * Returns the table, null while it cannot be read. The first line of its text has the makers; the others are sorted, and each has the start of its keys, then its rows,
 * after a `|` each: the rest of a key, and its cells. A key that ends in `*` is the start of models. `groups` has the rows of lines that
 * were needed, by the start of their keys.
 */
function readTable() {
  const text = readDeviceTable();
  if (text === null) return null;
  return { makers: text.slice(0, text.indexOf('\n')).split('|'), text, groups: new Map<string, string>() };
}

function readGroup({ text, groups }: Table, start: string): string {
  const line = findLine(text, start);
  const group = line === '' ? '' : `${line.slice(start.length)}|`;
  if (group !== '') groups.set(start, group);
  return group;
}

/** Binary search in the text, so that nothing is built first. */
function findLine(text: string, start: string): string {
  let low = text.indexOf('\n');
  let high = text.length - 1;
  while (low < high) {
    const before = text.lastIndexOf('\n', (low + high) >> 1);
    const after = text.indexOf('\n', before + 1);
    const found = text.slice(before + 1, text.indexOf('|', before));
    if (found === start) return text.slice(before + 1, after);
    if (found < start) low = after;
    else high = before;
  }
  return '';
}

/**
 * Returns what the table states about the whole model, else about its longest listed start; null for an unknown model, and while the table
 * cannot be read. The marketing name is null if the sources disagree about it.
 */
export function findDevice(model: string) {
  table ??= readTable();
  if (table === null) return null;
  const key = keyOfModel(model);
  const start = key.slice(0, groupLength);
  const group = table.groups.get(start) ?? readGroup(table, start);
  const rest = key.slice(groupLength);
  const whole = findRow(group, rest);
  let row = whole;
  for (let end = rest.length; row === undefined && end >= 0; end--) row = findRow(group, `${rest.slice(0, end)}*`);
  if (row === undefined) return null;
  const [maker = '', letter = '', name = ''] = row.split('\t');
  const vendor = table.makers[Number.parseInt(maker, 36)] ?? '';
  const type = deviceTypes.find((each) => each.charAt(0) === letter) ?? null;
  return { vendor, type, name: name || null, isWhole: row === whole };
}

function findRow(group: string, rest: string): string | undefined {
  const at = group === '' ? -1 : group.indexOf(`|${rest}\t`);
  return at === -1 ? undefined : group.slice(at + rest.length + 2, group.indexOf('|', at + 1));
}
