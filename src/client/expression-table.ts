/** Tables whose rows begin with a regular expression: the first one that matches a text counts. */

type Row = readonly [expression: RegExp, ...rest: unknown[]];

/** Returns the first row whose expression matches. Most texts match none, which one joined expression finds out. */
export function findRow<Each extends Row>(table: readonly Each[], text: string): Each | undefined {
  const expressions = joined.get(table) ?? joinExpressions(table);
  if (!expressions.some((expression) => expression.test(text))) return undefined;
  return table.find(([expression]) => expression.test(text));
}

const joined = new WeakMap<readonly Row[], readonly RegExp[]>();

/** One expression for each set of flags. */
function joinExpressions(table: readonly Row[]): readonly RegExp[] {
  const expressions = [...Map.groupBy(table, ([{ flags }]) => flags)].map(
    ([flags, rows]) => new RegExp(rows.map(([{ source }]) => source).join('|'), flags),
  );
  joined.set(table, expressions);
  return expressions;
}
