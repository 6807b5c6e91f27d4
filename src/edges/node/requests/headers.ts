/** Header fields as received, from Node's raw pairs. */
import { IncomingMessage } from 'node:http';

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
    const value = textOf(rawPairs[at + 1] as string);
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

/** Decodes a value as UTF-8 if it is valid; Node delivers bytes as Latin-1. */
export function textOf(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/**
 * A request over HTTP/1 whose `headers` are those of `headersOf`. Node reads some of them for every request, so with its own `headers`
 * each request would have two maps.
 */
export class Message extends IncomingMessage {
  #ownHeaders: Record<string, string> | null = null;

  get ownHeaders(): Readonly<Record<string, string>> {
    this.#ownHeaders ??= headersOf(this.rawHeaders);
    return this.#ownHeaders;
  }
}

// Not in the class body, where the compiler permits no accessor in place of a property.
Object.defineProperty(Message.prototype, 'headers', {
  get(this: Message) {
    return this.ownHeaders;
  },
});
