/** Responses whose heads break the rules of HTTP/1.1, and what browsers read in the headers X-A and X-B. */
import type { MalformedLine } from '../../../../src/core/platform.ts';

export interface MalformedHead {
  readonly head: string;
  readonly kinds: readonly MalformedLine['kind'][];
  /** Values of X-A and X-B; null for one that browsers do not read. */
  readonly values: readonly [a: string | null, b: string | null];
  /** Browsers show an error instead of the page. */
  readonly isRejected?: true;
  /** Firefox reads something else than Chromium: neither is an oracle. */
  readonly isAmbiguous?: true;
}

const begin = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const end = 'X-Last: 1\r\nConnection: close\r\n\r\n';
const headOf = (lines: string): string => `${begin}${lines}${end}`;
const withStatus = (statusLine: string): string => `${statusLine}\r\nX-A: a\r\n${end}`;

export const malformedHeads: Readonly<Record<string, MalformedHead>> = {
  folded: { head: headOf('X-A: a;\r\n  b\r\n'), kinds: ['folded'], values: ['a; b', null] },
  foldedTwice: { head: headOf('X-A: a;\r\n  b;\r\n\tc\r\n'), kinds: ['folded'], values: ['a; b; c', null] },
  foldedByLineFeed: {
    head: headOf('X-A: a;\n  b\r\nX-B: b\r\n'),
    kinds: ['line_feed', 'folded'],
    values: ['a; b', 'b'],
  },
  foldedFirst: { head: `HTTP/1.1 200 OK\r\n X-A: a\r\nX-B: b\r\n${end}`, kinds: ['folded'], values: [null, 'b'] },
  foldedName: { head: headOf('X A: a;\r\n  b\r\nX-B: b\r\n'), kinds: ['name', 'folded'], values: [null, 'b'] },
  lineFeed: { head: headOf('X-A: a\nX-B: b\n'), kinds: ['line_feed'], values: ['a', 'b'] },
  onlyLineFeeds: { head: headOf('X-A: a\r\n').replaceAll('\r\n', '\n'), kinds: ['line_feed'], values: ['a', null] },
  policyInLines: {
    head: headOf("X-A: default-src 'self';\nscript-src 'self';\r\n"),
    kinds: ['line_feed', 'no_colon'],
    values: ["default-src 'self';", null],
  },
  carriageReturn: {
    head: headOf('X-A: a\rX-B: b\r\n'),
    kinds: ['carriage_return'],
    values: [null, null],
    isAmbiguous: true,
  },
  control: {
    head: headOf('X-A: a\u0001b\r\nX-B: a\u000bb\r\n'),
    kinds: ['control_character'],
    values: ['a\u0001b', 'a\u000bb'],
  },
  delete: { head: headOf('X-A: a\u007fb\r\n'), kinds: ['control_character'], values: ['a\u007fb', null] },
  nullCharacter: { head: headOf('X-A: a\0b\r\n'), kinds: ['null_character'], values: ['a\0b', null], isRejected: true },
  nameWithSpace: { head: headOf('X A: a\r\nX-B: b\r\n'), kinds: ['name'], values: [null, 'b'] },
  nameWithQuotes: { head: headOf('"X-A": a\r\nX-B: b\r\n'), kinds: ['name'], values: [null, 'b'] },
  nameWithControl: { head: headOf('X\u0001A: a\r\nX-B: b\r\n'), kinds: ['name'], values: [null, 'b'] },
  nameBeyondAscii: { head: headOf('X-Ä: a\r\nX-B: b\r\n'), kinds: ['name'], values: [null, 'b'] },
  noName: { head: headOf(': a\r\nX-B: b\r\n'), kinds: ['name'], values: [null, 'b'] },
  spaceBeforeColon: {
    head: headOf('X-A : a\r\nX-B: b\r\n'),
    kinds: ['space_before_colon'],
    values: [null, 'b'],
    isAmbiguous: true,
  },
  noColon: { head: headOf('X-A\r\nX-B: b\r\n'), kinds: ['no_colon'], values: [null, 'b'] },
  twoLengths: {
    head: headOf('X-A: a\r\nContent-Length: 0\r\nContent-Length: 1\r\n'),
    kinds: ['lengths'],
    values: ['a', null],
    isRejected: true,
  },
  equalLengths: {
    head: headOf('X-A: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n'),
    kinds: ['length_repeated'],
    values: ['a', null],
  },
  listedLengths: {
    head: headOf('X-A: a\r\nContent-Length: 0, 0\r\n'),
    kinds: ['length_repeated'],
    values: ['a', null],
  },
  lengthText: { head: headOf('X-A: a\r\nContent-Length: abc\r\n'), kinds: ['length_invalid'], values: ['a', null] },
  lengthNegative: { head: headOf('X-A: a\r\nContent-Length: -5\r\n'), kinds: ['length_invalid'], values: ['a', null] },
  lengthEmpty: { head: headOf('X-A: a\r\nContent-Length:\r\n'), kinds: ['length_invalid'], values: ['a', null] },
  lengthAndEncoding: {
    head: `${headOf('X-A: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    kinds: ['length_and_encoding'],
    values: ['a', null],
  },
  statusWithoutSpace: {
    head: withStatus('HTTP/1.1 200OK'),
    kinds: ['status_line'],
    values: ['a', null],
    isAmbiguous: true,
  },
  otherVersion: { head: withStatus('HTTP/1.2 200 OK'), kinds: ['status_line'], values: ['a', null] },
  twoSpaces: { head: withStatus('HTTP/1.1  200 OK'), kinds: ['status_line'], values: ['a', null] },
  spaceBeforeStatus: { head: withStatus(' HTTP/1.1 200 OK'), kinds: ['status_line'], values: ['a', null] },
};
