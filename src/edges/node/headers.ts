/** Header fields as received, from Node's raw pairs. */
import { IncomingMessage } from 'node:http';
import type { Incoming } from '../../ingress/target.ts';

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

/** The headers of a request: created at the first call, and those of HTTP/2 at each. */
export function headersOfRequest(incoming: Incoming): Readonly<Record<string, string>> {
  return incoming instanceof Message ? incoming.ownHeaders : headersOf(incoming.rawHeaders);
}

/** Headers that Node reads of every request if it requires no Host, and `requests.ts` too, by the length of their names. */
const framingNames: (string | undefined)[] = [];
for (const name of ['te', 'expect', 'upgrade', 'content-length', 'transfer-encoding']) framingNames[name.length] = name;

const noHeaders: Readonly<Record<string, string>> = Object.freeze(new HeaderMap());

/**
 * A request over HTTP/1 without Node's own map of its headers. `headers` are for Node: empty if none of `framingNames` was sent, because a
 * map costs `/ip` a tenth; else `ownHeaders`.
 */
export class Message extends IncomingMessage {
  #ownHeaders: Readonly<Record<string, string>> | null = null;
  #nodeHeaders: Readonly<Record<string, string>> | null = null;

  get ownHeaders(): Readonly<Record<string, string>> {
    this.#ownHeaders ??= headersOf(this.rawHeaders);
    return this.#ownHeaders;
  }

  get nodeHeaders(): Readonly<Record<string, string>> {
    this.#nodeHeaders ??= hasFraming(this.rawHeaders) ? this.ownHeaders : noHeaders;
    return this.#nodeHeaders;
  }
}

function hasFraming(rawPairs: readonly string[]): boolean {
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    const expected = framingNames[name.length];
    if (expected !== undefined && name.toLowerCase() === expected) return true;
  }
  return false;
}

// Not in the class body, where the compiler permits no accessor in place of a property.
Object.defineProperty(Message.prototype, 'headers', {
  get(this: Message) {
    return this.nodeHeaders;
  },
});
