/** Characters that no eye sees, or that change how others are read. */

/** Controls, formats (bidi controls, zero width), lone surrogates, line separators. */
export const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text and, between its pieces, the names of what would be invisible. */
export function* pieces(text: string): Generator<{ readonly text: string; readonly isUnseen: boolean }> {
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(unseen)) {
    if (index > from) yield { text: text.slice(from, index), isUnseen: false };
    yield { text: `U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`, isUnseen: true };
    from = index + mark.length;
  }
  if (from < text.length) yield { text: text.slice(from), isUnseen: false };
}
