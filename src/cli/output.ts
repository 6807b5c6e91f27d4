/** Output of lookups: colored on a terminal, and free of control characters from other servers. */
import { styleText } from 'node:util';

/** Whether to color the output: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function isColored(isTTY: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY && (environment.NO_COLOR ?? '') === '';
}

/** Replaces control characters except newlines: a response must not move the cursor or change colors. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, ' ');
}

/** Escapes control characters that JSON allows in strings. */
export function escapeControls(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

type Color = Parameters<typeof styleText>[0];

const rules: readonly (readonly [pattern: RegExp, color: Color])[] = [
  [/^ok {2}/, 'green'],
  [/^fail {2}/, 'red'],
  [/^warn {2}/, 'yellow'],
  [/^[AB][+-]? {2}/, 'green'],
  [/^C[+-]? {2}/, 'yellow'],
  [/^[DF][+-]? {2}/, 'red'],
  [/^(?:[\w.[\]]+:|[A-Z][\w -]{0,12} {2,}(?=\S))/, 'cyan'],
];

/** Colors the beginning of each line. */
export function colorLines(text: string): string {
  return text.replaceAll(/^.+$/gm, (line) => {
    const [pattern, color] = rules.find(([each]) => each.test(line)) ?? [];
    if (pattern === undefined || color === undefined) return line;
    return line.replace(pattern, (match) => styleText(color, match, { validateStream: false }));
  });
}
