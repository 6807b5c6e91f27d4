/** Checks a response against the table in docs/fields.md, which lists the fields that each edge can set. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const page = new URL('../../docs/fields.md', import.meta.url);

/** First cell of a table's heading, which names the endpoint whose fields it lists. */
export type FieldTable = 'Field' | 'Field of `/fingerprint`';

/** The heading of a table of the page, and its rows about fields. */
export function tableOf(table: FieldTable | 'Other fields'): {
  heading: readonly string[];
  fields: readonly (readonly string[])[];
} {
  const text = readFileSync(page, 'utf8');
  const rows = [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
  const start = rows.findIndex(([name]) => name === table);
  const heading = rows[start] ?? assert.fail('the table is missing');
  const others = rows.slice(start + 1);
  const next = others.findIndex(([name = '']) => /^(?:Field|Other field)/.test(name));
  const fields = others.slice(0, next === -1 ? undefined : next).filter(([field = '']) => field.startsWith('`'));
  return { heading, fields };
}

/** `edge` begins with the name of its column, `body` is the JSON of the table's endpoint over TLS. */
export function assertFields(edge: string, body: object, protocol: unknown, table: FieldTable = 'Field'): void {
  const { heading, fields } = tableOf(table);
  const column = heading.findLastIndex((name) => edge.startsWith(name));
  assert.ok(column > 0 && fields.length >= 10, edge);
  for (const cells of fields) {
    const path = (cells[0] ?? '').replaceAll('`', '').split('.');
    const isExpected = expectations[cells[column] ?? ''] ?? assert.fail(`${edge}: ${cells[0]}: ${cells[column]}`);
    const expected = isExpected(protocol);
    const value = path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], body);
    if (expected !== null) assert.equal(value !== null, expected, `${edge}: ${cells[0]}`);
  }
}

/** Whether the field of a cell must have a value; null if that depends on the machine or the account. */
const expectations: Readonly<Record<string, (protocol: unknown) => boolean | null>> = {
  yes: () => true,
  '–': () => false,
  'HTTP/2': (protocol) => protocol === 'HTTP/2',
  'HTTP/3': (protocol) => protocol === 'HTTP/3',
  'HTTP/2, 3': (protocol) => protocol === 'HTTP/2' || protocol === 'HTTP/3',
  COLO: () => true,
  Linux: () => null,
  measured: () => null,
  'Bot Management': () => null,
};
