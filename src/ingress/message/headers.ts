/** Header fields of requests in the forms that handlers need, from Node's raw pairs. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Creates objects without inherited members; cheaper to fill and copy than those of `Object.create(null)`. */
function NoMembers(): void {}
NoMembers.prototype = Object.create(null);
const HeaderMap = NoMembers as unknown as new () => Record<string, string>;

/**
 * Returns lower-case names without a prototype, repeats joined by `, ` (cookies by `; `, RFC 9113 §8.2.3). HTTP/2's `:authority`
 * becomes `host`, in place of an equivalent Host; the other pseudo-headers are omitted.
 */
export function headersOf(rawPairs: readonly string[]): Record<string, string> {
  const headers = new HeaderMap();
  let hasAuthority = false;
  for (let at = 0; at + 1 < rawPairs.length; at += 2) {
    let name = (rawPairs[at] as string).toLowerCase();
    const value = decodeValue(rawPairs[at + 1] as string);
    if (name.startsWith(':')) {
      if (name !== ':authority') continue;
      hasAuthority = true;
      name = 'host';
    } else if (name === 'host' && hasAuthority) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

/** Returns names and values in order, the values decoded. */
export function headerFieldsOf(rawPairs: readonly string[]): [name: string, value: string][] {
  const fields: [string, string][] = [];
  for (let at = 0; at + 1 < rawPairs.length; at += 2)
    fields.push([rawPairs[at] as string, decodeValue(rawPairs[at + 1] as string)]);
  return fields;
}

/** Decodes a value as UTF-8 if it is valid; Node delivers bytes as Latin-1. */
export function decodeValue(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
