/** Bytes of HTTP/2 connections that the service has always withstood, by stream: 1, 3, 5 and so on, each in a write of its own. */
import {
  frame,
  frameTypes,
  pingFrame,
  requestFrame,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './http2-attacker.ts';

const goAway = 7;
const continuation = 9;
const unknown = 200;
const initialWindow = 4;
const flags = { ack: 0x01, endStream: 0x01, endHeaders: 0x04, padded: 0x08 };
const maxWindow = 2 ** 31 - 1;

const times = (count: number, one: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => one));
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
/** GET and POST of /mcp without indexing (RFC 7541, Appendix A: 2 and 3 are :method, 7 is :scheme https). */
const blockOf = (method: 2 | 3, ...fields: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x80 | method, 0x87]),
    literal(':authority', 'localhost'),
    literal(':path', '/mcp'),
    ...fields,
  ]);
const requestOf = (stream: number, block: Buffer, end: number = flags.endStream): Buffer =>
  frame(frameTypes.headers, flags.endHeaders | end, stream, block);
const post = (stream: number): Buffer => requestOf(stream, blockOf(3), 0);
/** The first frames open stream 1; all others follow on it. */
const onStream1 = (opening: () => Buffer, next: () => Buffer) => (stream: number) =>
  stream === 1 ? opening() : next();
/** A request that the service must reset, or respond to and then reset (CVE-2025-8671). */
const madeReset = (cause: (stream: number) => Buffer) => (stream: number) =>
  Buffer.concat([post(stream), cause(stream)]);

const malformedControls = [
  frame(frameTypes.settings, 0, 0, Buffer.alloc(5)),
  frame(frameTypes.settings, 0, 1, Buffer.alloc(6)),
  frame(frameTypes.settings, flags.ack, 0, Buffer.alloc(6)),
  frame(frameTypes.ping, 0, 0, Buffer.alloc(7)),
  frame(frameTypes.ping, 0, 1, Buffer.alloc(8)),
  frame(frameTypes.windowUpdate, 0, 0, Buffer.alloc(3)),
  frame(frameTypes.reset, 0, 1, Buffer.alloc(3)),
  frame(frameTypes.reset, 0, 0, Buffer.alloc(4)),
  frame(frameTypes.priority, 0, 0, Buffer.alloc(5)),
  frame(goAway, 0, 0, Buffer.alloc(7)),
  frame(continuation, 0, 1),
];

export const heldShapes = {
  continuation: onStream1(
    () => frame(frameTypes.headers, 0, 1, blockOf(2)),
    () => frame(continuation, 0, 1, Buffer.alloc(1)),
  ),
  emptyContinuation: onStream1(
    () => frame(frameTypes.headers, 0, 1, blockOf(2)),
    () => times(100, frame(continuation, 0, 1)),
  ),
  settings: () => times(100, settingsFrame([initialWindow, 65_535])),
  settingsEntries: () => settingsFrame(...Array.from({ length: 2_700 }, (_, at) => [initialWindow, at] as const)),
  /** 100 streams with a page each, whose windows open and close. */
  windowFlapping: (stream: number) =>
    stream < 200
      ? Buffer.concat([
          stream === 1 ? settingsFrame([initialWindow, 0]) : Buffer.alloc(0),
          requestFrame(stream, '/docs', stream === 1),
        ])
      : settingsFrame([initialWindow, stream % 4 === 1 ? 0 : 1_000]),
  ping: () => times(100, pingFrame()),
  unreadPing: () => times(100, pingFrame()),
  priority: (stream: number) => times(100, frame(frameTypes.priority, 0, stream, Buffer.from([0, 0, 0, 0, 7]))),
  unknown: () => times(100, frame(unknown, 0xff, 1, Buffer.alloc(20))),
  zeroIncrement: madeReset((stream) => windowUpdateFrame(stream, 0)),
  windowOverflow: madeReset((stream) => times(2, windowUpdateFrame(stream, maxWindow))),
  dataAfterEnd: madeReset((stream) => times(2, frame(frameTypes.data, flags.endStream, stream))),
  headersAfterEnd: madeReset((stream) => times(2, requestOf(stream, blockOf(3)))),
  wrongLength: madeReset((stream) => frame(frameTypes.priority, 0, stream, Buffer.alloc(4))),
  contentLength: (stream: number) =>
    Buffer.concat([
      requestOf(stream, blockOf(3, literal('content-length', '5')), 0),
      frame(frameTypes.data, flags.endStream, stream),
    ]),
  upperCase: (stream: number) => requestOf(stream, blockOf(2, literal('A', 'b'))),
  emptyData: onStream1(
    () => post(1),
    () => times(100, frame(frameTypes.data, 0, 1)),
  ),
  paddedData: onStream1(
    () => post(1),
    () => times(50, frame(frameTypes.data, flags.padded, 1, Buffer.alloc(256, Buffer.from([255])))),
  ),
  oneByteWindow: (stream: number) =>
    stream === 1
      ? Buffer.concat([settingsFrame([initialWindow, 1]), requestFrame(1, '/docs', true)])
      : windowUpdateFrame(1, 1),
  streamIdJump: (stream: number) => requestFrame(stream === 1 ? 1 : maxWindow - 200 + stream, '/ip', stream === 1),
  goAway: (stream: number) =>
    Buffer.concat([requestFrame(stream, '/ip', stream === 1), frame(goAway, 0, 0, Buffer.alloc(8))]),
  resetOfOthers: (stream: number) => resetFrame(stream),
  malformedControl: (stream: number, connection: number) =>
    stream === 1
      ? requestFrame(1, '/ip', true)
      : (malformedControls[connection % malformedControls.length] ?? Buffer.alloc(0)),
} satisfies Record<string, (stream: number, connection: number) => Buffer>;
