/** Writes the rows of a generated table as JSON in a string, which loads four times as fast as an array in TypeScript. */

/** Returns an expression whose value is the rows. */
export function parsedRows(rows: readonly (readonly (string | null)[])[]): string {
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  if (/`|\$\{/.test(lines)) throw new Error('a row contains a backtick or ${');
  return `JSON.parse(String.raw\`[\n${lines}\n]\`)`;
}
