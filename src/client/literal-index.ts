/** Finds the rows of a table whose literals a text contains: one look-up for each character, and no regular expression to compile. */

/** Enough characters to make most look-ups fail; shorter literals are searched one by one. */
const keyLength = 3;

/** A number for three characters. */
const keyOf = (first: number, second: number, third: number): number => (first * 961 + second * 31 + third) & mask;

/** A power of two, several times the number of rows of every table, so that most look-ups find an empty bucket. */
const mask = 2 ** 13 - 1;

/** Returns a function that lists the hits of a text, in order of their place (`at`) in the text, then in the table. */
export function indexLiterals<Row extends { readonly literal: string }>(rows: readonly Row[]) {
  const short = rows.filter(({ literal }) => literal.length < keyLength);
  const long = rows.filter(({ literal }) => literal.length >= keyLength);
  const rowsOf = Map.groupBy(long, ({ literal: l }) => keyOf(l.charCodeAt(0), l.charCodeAt(1), l.charCodeAt(2)));
  // One small array that stays in the processor's cache.
  const hasRows = new Uint8Array(mask + 1);
  for (const key of rowsOf.keys()) hasRows[key] = 1;
  return (text: string) => {
    const hits: { readonly row: Row; readonly at: number }[] = [];
    let first = text.charCodeAt(0);
    let second = text.charCodeAt(1);
    for (let end = keyLength - 1; end < text.length; end++) {
      const third = text.charCodeAt(end);
      const key = keyOf(first, second, third);
      if (hasRows[key] === 1)
        for (const row of rowsOf.get(key) ?? [])
          if (text.startsWith(row.literal, end - 2)) hits.push({ row, at: end - 2 });
      first = second;
      second = third;
    }
    if (short.length === 0) return hits;
    for (const row of short) {
      const at = text.indexOf(row.literal);
      if (at >= 0) hits.push({ row, at });
    }
    return hits.sort((one, other) => one.at - other.at);
  };
}
