/** Finds the rows of a table whose literals a text contains: one look-up for each character, and no regular expression to compile. */

/** Enough characters to make most look-ups fail; shorter literals are searched one by one. */
const keyLength = 3;

export interface Hit<Row> {
  readonly row: Row;
  /** Index in the text. */
  readonly at: number;
}

/** Returns a function that lists the hits of a text, in order of their place in the text, then in the table. */
export function indexLiterals<Row extends { readonly literal: string }>(
  rows: readonly Row[],
): (text: string) => Hit<Row>[] {
  // A power of two, several times the number of rows, so that most look-ups find an empty bucket.
  const mask = 2 ** (4 + Math.ceil(Math.log2(rows.length + 1))) - 1;
  const buckets: (Row[] | null)[] = new Array(mask + 1).fill(null);
  const short = rows.filter(({ literal }) => literal.length < keyLength);
  for (const row of rows) {
    if (row.literal.length < keyLength) continue;
    const key = keyOf(row.literal, 0) & mask;
    const bucket = buckets[key];
    if (bucket) bucket.push(row);
    else buckets[key] = [row];
  }
  return (text) => {
    const hits: Hit<Row>[] = [];
    const last = text.length - keyLength;
    for (let at = 0; at <= last; at++) {
      const bucket = buckets[keyOf(text, at) & mask];
      if (!bucket) continue;
      for (const row of bucket) if (text.startsWith(row.literal, at)) hits.push({ row, at });
    }
    for (const row of short) {
      const at = text.indexOf(row.literal);
      if (at >= 0) hits.push({ row, at });
    }
    return hits.sort((one, other) => one.at - other.at);
  };
}

/** A number for three characters. */
const keyOf = (text: string, at: number): number =>
  text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2);
