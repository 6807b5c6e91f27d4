/**
 * A request over HTTP/1 for which Node builds no map of headers unless it reads one itself: the map costs a tenth of a small request.
 *
 * Relies on Node reading only the headers `framingNames` of a request. Checked in Node 26.10. A version that reads another one would
 * not see it: add its name here (test/native/message.test.ts has a request with each).
 */
import { IncomingMessage } from 'node:http';

/** Headers that Node reads of every request if it requires no Host, by the length of their names. */
const framingNames: (string | undefined)[] = [];
for (const name of ['te', 'expect', 'upgrade', 'content-length', 'transfer-encoding']) framingNames[name.length] = name;

const noHeaders = Object.freeze({});
const ownHeaders = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')?.get;

export class Message extends IncomingMessage {
  hasFramingHeaders: boolean | null = null;
}

// Not in the class body, where the compiler permits no accessor in place of a property.
Object.defineProperty(Message.prototype, 'headers', {
  get(this: Message) {
    this.hasFramingHeaders ??= hasFramingHeaders(this.rawHeaders);
    return this.hasFramingHeaders ? ownHeaders?.call(this) : noHeaders;
  },
});

function hasFramingHeaders(rawPairs: readonly string[]): boolean {
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    const expected = framingNames[name.length];
    if (expected !== undefined && name.toLowerCase() === expected) return true;
  }
  return false;
}
