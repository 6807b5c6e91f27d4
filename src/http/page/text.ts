/** Text of the pages: the invisible characters of untrusted text. */
import { invisible } from '../../core/text.ts';

/** Such as `U+202E`. */
export const codePointOf = (mark: string): string =>
  `U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

/** Visible text, and the code point (`U+202E`) of each invisible character, in order. */
export function* splitInvisible(text: string): Generator<{ readonly text: string; readonly isInvisible: boolean }> {
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(invisible)) {
    if (index > from) yield { text: text.slice(from, index), isInvisible: false };
    yield { text: codePointOf(mark), isInvisible: true };
    from = index + mark.length;
  }
  if (from < text.length) yield { text: text.slice(from), isInvisible: false };
}

/** Text for attributes and titles, which have no elements: invisible characters as spaces. */
export const visible = (text: string): string => text.replace(invisible, ' ');
