/** Frames of HTTP/3: how their payloads reach the handler, also if they are empty or arrive byte by byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, type FrameHandler, FrameReader } from '../../../src/ingress/http3/frames.ts';

const unknownType = 0x21;

/** A reader, and what it passes on: the treatment, and a payload or its length. */
function readerOf(treatment: ReturnType<FrameHandler['begin']>) {
  const events: unknown[][] = [];
  const reader = new FrameReader({
    begin(type, length) {
      events.push(['begin', type, length]);
      return treatment;
    },
    frame: (type, payload, isFinal) => void events.push(['frame', type, [...payload], isFinal]),
    piece: (bytes, length) => void events.push(['piece', bytes && [...bytes], length]),
  });
  return { reader, events };
}

const passedOn = {
  whole: (payload: number[], isFinal: boolean) => ['frame', unknownType, payload, isFinal],
  pieces: (payload: number[]) => ['piece', payload, payload.length],
  skip: (payload: number[]) => ['piece', null, payload.length],
};

for (const [treatment, expected] of Object.entries(passedOn)) {
  test(`an empty frame at the end of the bytes is complete: ${treatment}`, () => {
    const { reader, events } = readerOf(treatment as keyof typeof passedOn);
    reader.push(encodeFrame(unknownType, Uint8Array.of()));
    assert.equal(reader.isWithinFrame, false);
    assert.deepEqual(events, [['begin', unknownType, 0], expected([], true)]);
  });

  test(`a frame is within its bytes until the last one, and frames may follow each other: ${treatment}`, () => {
    const { reader, events } = readerOf(treatment as keyof typeof passedOn);
    const bytes = Buffer.concat([
      encodeFrame(unknownType, Uint8Array.of(1, 2)),
      encodeFrame(unknownType, Uint8Array.of()),
    ]);
    const within = [...bytes].map((byte) => {
      reader.push(Uint8Array.of(byte));
      return reader.isWithinFrame;
    });
    assert.deepEqual(within, [true, true, true, false, true, false]);
    const ofFirst = treatment === 'whole' ? [expected([1, 2], true)] : [expected([1], true), expected([2], true)];
    assert.deepEqual(events, [['begin', unknownType, 2], ...ofFirst, ['begin', unknownType, 0], expected([], true)]);
  });
}

test('a whole frame is not the final one if further bytes have arrived', () => {
  const { reader, events } = readerOf('whole');
  const frame = encodeFrame(unknownType, Uint8Array.of(7));
  reader.push(Buffer.concat([frame, frame]));
  assert.deepEqual(
    events.filter(([name]) => name === 'frame'),
    [passedOn.whole([7], false), passedOn.whole([7], true)],
  );
});
