/** `Map.groupBy`, `Object.groupBy` and `URL.parse` for the light library, because Node 20 has none of them; esbuild puts these in their place. */

export function groupByInMap<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item, at: number) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  let at = 0;
  for (const item of items) {
    const key = keyOf(item, at);
    at += 1;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export const groupByInObject = <Item, Key extends PropertyKey>(
  items: Iterable<Item>,
  keyOf: (item: Item, at: number) => Key,
): Partial<Record<Key, Item[]>> => Object.assign(Object.create(null), Object.fromEntries(groupByInMap(items, keyOf)));

export const parseUrl = (url: string | URL, base?: string | URL): URL | null =>
  URL.canParse(url, base) ? new URL(url, base) : null;
