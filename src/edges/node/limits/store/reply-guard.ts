/** Checks the store's replies before the client library parses them: its parser never returns on some invalid ones. */

const maxLineBytes = 512;
const maxStringBytes = 4_096;
const maxItems = 16;

const carriageReturn = 13;
const lineFeed = 10;

/** Kinds of a line in the protocol RESP2; strings and arrays with their length. */
const linePattern = /^(?:[+-].*|:-?\d{1,15}|\$(?<bytes>-1|\d{1,4})|\*(?<items>-1|\d{1,2}))$/;

/** Returns a function that throws an Error at the first byte of a reply that is invalid or larger than any the service requests. */
export function createReplyGuard(): (chunk: Uint8Array) => void {
  let line: number[] = [];
  /** Bytes of a string and its line end that are still to come. */
  let stringBytes = 0;
  /** Items of an array that are still to come. */
  let items = 0;

  const endLine = (): void => {
    const text = String.fromCharCode(...line);
    line = [];
    const match = linePattern.exec(text);
    if (match === null) throw new Error('invalid reply');
    const { bytes, items: length } = match.groups ?? {};
    const isArray = length !== undefined;
    // Arrays of arrays are never requested; nested deeply they exhaust the parser's stack.
    if (Number(bytes) > maxStringBytes || Number(length) > maxItems || (isArray && items > 0))
      throw new Error('too large a reply');
    if (isArray) items = Math.max(0, Number(length));
    else if (items > 0) items -= 1;
    if (bytes !== undefined && bytes !== '-1') stringBytes = Number(bytes) + 2;
  };

  return (chunk) => {
    for (let at = 0; at < chunk.length; at += 1) {
      if (stringBytes > 0) {
        const skipped = Math.min(stringBytes, chunk.length - at);
        stringBytes -= skipped;
        at += skipped - 1;
        continue;
      }
      const byte = chunk[at] ?? 0;
      const isAfterReturn = line.at(-1) === carriageReturn;
      if (isAfterReturn && byte === lineFeed) {
        line.pop();
        endLine();
      } else if (isAfterReturn || line.length >= maxLineBytes) throw new Error('invalid reply');
      else line.push(byte);
    }
  };
}
