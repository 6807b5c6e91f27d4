/** Header fields as they came, from Node's raw pairs. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Makes objects that inherit no member; cheaper to fill and to copy than those of `Object.create(null)`. */
function NoMembers(): void {}
NoMembers.prototype = Object.create(null);
const HeaderMap = NoMembers as unknown as new () => Record<string, string>;

/**
 * Lower-case names without a prototype, repeats joined by `, ` (cookies by `; `, RFC 9113 §8.2.3); HTTP/2's
 * `:authority` stands as `host`, the other pseudo-headers are left out.
 */
export function headersOf(rawPairs: readonly string[]): Record<string, string> {
  const headers = new HeaderMap();
  let authority: string | null = null;
  for (let at = 0; at + 1 < rawPairs.length; at += 2) {
    let name = (rawPairs[at] as string).toLowerCase();
    const value = textOf(rawPairs[at + 1] as string);
    if (name.startsWith(':')) {
      if (name !== ':authority') continue;
      authority = value;
      name = 'host';
    } else if (name === 'host' && value === authority) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

/** Node hands bytes over as Latin-1; what is UTF-8 is read as that. */
export function textOf(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
