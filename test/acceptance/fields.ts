/** Holds an answer against the table of docs/architecture.md, which says what each edge can fill. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const page = new URL('../../docs/architecture.md', import.meta.url);

/** `edge` begins with the name of its column, `info` is the body of /json over TLS. */
export function assertFields(edge: string, info: Record<string, Record<string, unknown>>): void {
  const text = readFileSync(page, 'utf8');
  const rows = [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
  const heading = rows.find((cells) => cells.includes('Node edge')) ?? assert.fail('there is no such table');
  const column = heading.findLastIndex((name) => edge.startsWith(name));
  const fields = rows.filter(
    ([field = '', ...cells]) => /^`\w+\.\w+`$/.test(field) && cells.length === heading.length - 1,
  );
  assert.ok(column > 0 && fields.length >= 11, edge);
  for (const cells of fields) {
    const [room = '', member = ''] = (cells[0] ?? '').replaceAll('`', '').split('.');
    const isExpected = expectations[cells[column] ?? ''] ?? assert.fail(`${edge}: ${cells[0]}: ${cells[column]}`);
    const expected = isExpected(info.http?.protocol);
    if (expected !== null) assert.equal(info[room]?.[member] !== null, expected, `${edge}: ${cells[0]}`);
  }
}

/** Whether a cell's field has to have a value; null where that depends on the machine. */
const expectations: Readonly<Record<string, (protocol: unknown) => boolean | null>> = {
  yes: () => true,
  '–': () => false,
  'HTTP/3': (protocol) => protocol === 'HTTP/3',
  Linux: () => null,
};
