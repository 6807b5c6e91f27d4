/** Rows of a table with a regular expression each: finds those that may match a text, without trying them all. */
import { indexLiterals } from './literal-index.ts';
import { requiredLiterals } from './required-literals.ts';

/** Returns the rows that may match, in the order of the table. */
export type FindRows<Row> = (lowerText: string) => readonly Row[];

/** `literalsOf` returns lower-case literals, one of which every match contains; null or none if the row has to be tried always. */
export function indexRows<Row>(
  rows: readonly Row[],
  literalsOf: (row: Row) => readonly string[] | null,
): FindRows<Row> {
  const always: number[] = [];
  const literals: string[] = [];
  const owners: number[] = [];
  for (const [place, row] of rows.entries()) {
    const own = literalsOf(row);
    if (own === null || own.length === 0) always.push(place);
    for (const literal of own ?? []) {
      literals.push(literal);
      owners.push(place);
    }
  }
  const find = indexLiterals(literals);
  return (lowerText) => {
    const places = new Set(always);
    for (const { literal } of find(lowerText)) places.add(owners[literal] as number);
    return [...places].sort((one, other) => one - other).map((place) => rows[place] as Row);
  };
}

/** Rows that begin with a regular expression. */
export type Table = readonly (readonly [expression: RegExp, ...rest: unknown[]])[];

/** The rows of a table that may match. Indexes are stored with their tables. */
export function findRows<Rows extends Table>(table: Rows, lowerText: string): readonly Rows[number][] {
  return (indexes.get(table) ?? indexTable(table))(lowerText);
}

function indexTable(table: Table): FindRows<Table[number]> {
  const find = indexRows(table, ([{ source }]) => requiredLiterals(source));
  indexes.set(table, find);
  return find;
}

const indexes = new WeakMap<Table, FindRows<Table[number]>>();
