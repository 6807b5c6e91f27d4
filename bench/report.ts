/** Output of a run: aligned tables, and each target with the measured value. */

const targets: string[] = [];

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

export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** Records a target for the end of the run. A missed target does not fail the run, because machines are noisy. */
export function addTarget(what: string, measured: number, bound: Bound, digits: number, unit = ''): void {
  const met = 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost;
  const expected = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
  targets.push(`  ${met ? 'met   ' : 'MISSED'}  ${what}: ${measured.toFixed(digits)}${unit} (${expected}${unit})`);
}

export function printTargets(): void {
  printLine('\nTargets');
  for (const line of targets) printLine(line);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The middle half of the values, which shows how reliable a median is. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.round(share * (sorted.length - 1))] ?? 0).toFixed(digits);
  return `${at(0.25)}–${at(0.75)}`;
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
