/** Finds the rows of a table whose literals a text contains: one look-up for each character, and no regular expression to compile. */

/** Enough characters to make most look-ups fail; shorter literals are searched one by one. */
const keyLength = 3;

export interface Hit<Row> {
  readonly row: Row;
  /** Index in the text. */
  readonly at: number;
}

/** A number for three characters. */
const keyOf = (first: number, second: number, third: number): number => (first * 961 + second * 31 + third) & mask;

/** A power of two, several times the number of rows of every table, so that most look-ups find an empty bucket. */
const mask = 2 ** 13 - 1;

/** Returns a function that lists the hits of a text, in order of their place in the text, then in the table. */
export function indexLiterals<Row extends { readonly literal: string }>(
  rows: readonly Row[],
): (text: string) => Hit<Row>[] {
  const short = rows.filter(({ literal }) => literal.length < keyLength);
  const long = rows.filter(({ literal }) => literal.length >= keyLength);
  const buckets: readonly Row[][] = [
    [],
    ...Map.groupBy(long, ({ literal: l }) => keyOf(l.charCodeAt(0), l.charCodeAt(1), l.charCodeAt(2))).values(),
  ];
  // One small array that stays in the processor's cache.
  const bucketOf = new Uint16Array(mask + 1);
  for (const [at, bucket] of buckets.entries()) {
    const l = bucket[0]?.literal ?? '';
    if (l !== '') bucketOf[keyOf(l.charCodeAt(0), l.charCodeAt(1), l.charCodeAt(2))] = at;
  }
  return (text) => {
    const hits: Hit<Row>[] = [];
    let [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
    for (let end = keyLength - 1; end < text.length; end++) {
      const third = text.charCodeAt(end);
      const bucket = bucketOf[keyOf(first, second, third)] ?? 0;
      if (bucket !== 0)
        for (const row of buckets[bucket] ?? [])
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
