/** The place of the bytes of an HTTP/1 connection in its requests, as far as heads tell it, and methods that Node's parser does not know. */
import { METHODS } from '../../native/http.ts';

export const blankLine = Buffer.from('\r\n\r\n');
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Longer ones are malformed requests. */
const maxMethodBytes = 64;
/** The methods of Node's parser, which accepts SOURCE only of another protocol; PRI is the preface of HTTP/2. */
const knownMethods: ReadonlySet<string> = new Set([...METHODS.filter((method) => method !== 'SOURCE'), 'PRI']);

/** Compares single bytes, because `equals` and a part of the buffer cost more if they are used rarely. */
function endsWithBlankLine(bytes: Buffer): boolean {
  const { length } = bytes;
  return (
    bytes[length - 1] === lineFeed &&
    bytes[length - 2] === carriageReturn &&
    bytes[length - 3] === lineFeed &&
    bytes[length - 4] === carriageReturn
  );
}

/** Expects portions that end at the first blank line in them. */
export class Head {
  /** Before the first byte of a request; within its first line; anywhere else, or not known. */
  #part: 'start' | 'line' | 'elsewhere' = 'start';
  /** Whether an unknown method was replaced: the connection must not outlive the response. */
  hasUnknownMethod = false;

  /** Whether the first line of a request has begun and not ended. */
  get isInRequestLine(): boolean {
    return this.#part === 'line';
  }

  /**
   * Returns the bytes for the parser, which rejects those of an unknown method before they are a request: TRACE, which no path permits either,
   * takes its place.
   */
  prepare(bytes: Buffer, isOfBody: boolean): Buffer {
    if (this.#part !== 'start' || isOfBody) return bytes;
    this.#part = 'line';
    // GET
    if (bytes[0] === 0x47 && bytes[3] === 0x20) return bytes;
    const first = bytes.toString('latin1', 0, maxMethodBytes);
    const [start, method = ''] = /^[\r\n]*([!#$%&'*+.^`|~\w-]+) /.exec(first) ?? [];
    if (start === undefined || knownMethods.has(method)) return bytes;
    this.hasUnknownMethod = true;
    return Buffer.concat([Buffer.from('TRACE '), bytes.subarray(start.length)]);
  }

  /** Notes bytes that were parsed; a portion that ends a head is followed by another one, or by a body, whose end is not known. */
  note(bytes: Buffer, { isOfBody, hasBegun }: { readonly isOfBody: boolean; readonly hasBegun: boolean }): void {
    if (hasBegun && endsWithBlankLine(bytes)) this.#part = 'start';
    else if (isOfBody || hasBegun || bytes.includes(lineFeed)) this.#part = 'elsewhere';
  }
}
