/** Output of a run: aligned tables, Markdown, medians. */

export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** The first row names the columns; all but the first column are figures. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    printLine(`  ${cells.join('   ')}`);
  }
}

/** Rows of a document. */
export function printMarkdown(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [columns, columns.map(() => '---'), ...rows]) printLine(`| ${row.join(' | ')} |`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The largest of the least fifth of the values. */
export const leastFifth = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 5)] ?? Number.NaN;

/** The middle half of the values, which shows how reliable a median is. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.round(share * (sorted.length - 1))] ?? 0).toFixed(digits);
  return `${at(0.25)}–${at(0.75)}`;
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

export const microseconds = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} µs`;

/** Resident memory of two servers after their load. */
export const residentOf = (servers: readonly { residentBytes(): number }[]): string =>
  `${servers.map((server) => (server.residentBytes() / 1e6).toFixed(0)).join(' and ')} MB`;
