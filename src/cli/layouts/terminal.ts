/** Text for a terminal: wrapped lines, labeled rows, columns, times in words, and colors. */
import { styleText } from 'node:util';
import { formatAge, replaceControls } from '../../core/text.ts';

/** `width` in columns, `nowMs` in milliseconds since the Unix epoch. */
export type Terminal = Readonly<Record<'width' | 'nowMs', number>>;

const defaultWidth = 80;

/** Columns of a stream; a terminal that does not know its width reports 0. */
export const widthOf = ({ columns }: { readonly columns?: number | undefined }): number => columns || defaultWidth;

/** A label and its values, each on a line of its own; a row without values is left out. */
export type Row = readonly [label: string, value: string | null | readonly (string | null)[]];

/**
 * Splits at spaces into lines of at most `width` characters, the further ones after `indent`; a longer word gets a line of its own.
 * Newlines become spaces: in a value from outside, they would forge lines.
 */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  const [first = '', ...words] = replaceControls(text).split(' ');
  let line = first;
  for (const word of words) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line += ` ${word}`;
  }
  return [...lines, line];
}

const labelWidth = 14;
/** Columns that a text needs at least; below, it begins on a line of its own. */
const narrowest = 20;
const stackedIndent = '  ';

/** Rows with their values in one column. */
export function layOutRows(rows: readonly Row[], { width }: Terminal): string {
  const room = Math.max(narrowest, width - labelWidth);
  return rows
    .map(([label, value]) => {
      const values = [value].flat().filter((each): each is string => each !== null && each !== '');
      const lines = values.flatMap((each) => wrap(each, room));
      return lines.map((line, at) => `${(at === 0 ? label : '').padEnd(labelWidth)}${line}\n`).join('');
    })
    .join('');
}

/** Cells in columns that are as wide as their longest cell; the last column is wrapped, below the others if these leave it no room. */
export function columns(values: readonly (readonly string[])[], { width }: Terminal): string {
  const table = values.map((cells) => cells.map(replaceControls));
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  const indent = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const isStacked = width - indent < narrowest;
  return table
    .map((cells) => {
      const last = cells.at(-1) ?? '';
      if (isStacked) {
        const start = wrap(joinKnown(cells.slice(0, -1), '  '), width);
        const rest = wrap(last, width - stackedIndent.length).map((line) => `${stackedIndent}${line}`);
        return `${[...start, ...rest].join('\n')}\n`;
      }
      const start = cells.slice(0, -1).map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2));
      return `${start.join('')}${wrap(last, width - indent).join(`\n${' '.repeat(indent)}`)}\n`;
    })
    .join('');
}

/** Joins what is known. */
export const joinKnown = (parts: readonly (string | null | undefined)[], separator = ', '): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(separator);

/** `2027-08-13 (in 8 months)`, in UTC; null for null. */
export const describeDate = (date: string | null, { nowMs }: Terminal): string | null =>
  date && `${date.slice(0, 10)} (${formatAge(Date.parse(date), nowMs)})`;

/** Whether to color the output: on a terminal that has colors, unless NO_COLOR is set (https://no-color.org). */
export function isColored(isTTY: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY && environment.TERM !== 'dumb' && (environment.NO_COLOR ?? '') === '';
}

type Color = Parameters<typeof styleText>[0];

const rules: readonly (readonly [pattern: RegExp, color: Color])[] = [
  [/^ok {2}/, 'green'],
  [/^fail {2}/, 'red'],
  [/^warn {2}/, 'yellow'],
  [/^[AB][+-]? {2}/, 'green'],
  [/^C[+-]? {2}/, 'yellow'],
  [/^[DF][+-]? {2}/, 'red'],
  [/^(?:[\w.[\]]+:|[A-Z][\w -]{0,15} {2,}(?=\S))/, 'cyan'],
];

/** Colors the beginning of each line. */
export function colorLines(text: string): string {
  return text.replaceAll(/^.+$/gm, (line) => {
    const [pattern, color] = rules.find(([each]) => each.test(line)) ?? [];
    if (pattern === undefined || color === undefined) return line;
    return line.replace(pattern, (match) => styleText(color, match, { validateStream: false }));
  });
}
