/** Streams of one connection that share its bound on unacknowledged bytes, with a real client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QuicStream } from '../../../src/native/quic.ts';
import { ngtcp2, skipNgtcp2 } from '../../quic-clients.ts';
import { headers, startResponder } from './responder.ts';

/** Shorter than 15 seconds: after so long, OpenSSL's PING would end a stall. */
const timeout = 12_000;
const bufferBytes = 1_000;

/** A reserved frame, which clients ignore (RFC 9114 §7.2.8). */
const reserved = (length: number): Buffer =>
  Buffer.concat([Buffer.from([0x21, 0x40 | (length >> 8), length & 0xff]), Buffer.alloc(length)]);

/**
 * Responds to the two requests of a client with `respond`, which gets the streams in their order; `drained` gets the index of one that
 * may go on. Returns the ids of the streams in the order in which they ended at the client.
 */
async function serveTwo(
  respond: (streams: readonly QuicStream[]) => void,
  drained: (index: number, streams: readonly QuicStream[]) => void = () => {},
): Promise<(string | undefined)[]> {
  const streams: QuicStream[] = [];
  const handle = (stream: QuicStream) => {
    const index = streams.push(stream) - 1;
    return {
      onData(_bytes: Uint8Array, isLast: boolean) {
        if (isLast && index === 1) respond(streams);
      },
      onDrain: () => drained(index, streams),
    };
  };
  await using responder = await startResponder('', {
    handle,
    bounds: { ...bounds, quicConnectionBufferBytes: bufferBytes },
  });
  const { printed } = await ngtcp2(responder.port, 'https://localhost/', ['--nstreams=2', '--no-http-dump']);
  const ended = [...printed.matchAll(/HTTP stream (\d+) closed with error code 256/g)].map(([, id]) => id);
  assert.equal(ended.length, 2, printed.slice(-2000));
  return ended;
}

test('sends what waits as soon as another stream is acknowledged', { timeout, skip: skipNgtcp2 }, async () => {
  await serveTwo(([first, second]) => {
    second?.write(Buffer.concat([headers, reserved(bufferBytes - 6 - headers.length)]), true);
    first?.write(headers, true);
  });
});

test('tells a stream that waited to go on, although it wrote more meanwhile', {
  timeout,
  skip: skipNgtcp2,
}, async () => {
  await serveTwo(
    ([first, second]) => {
      assert.equal(second?.write(Buffer.concat([headers, reserved(bufferBytes)])), false);
      assert.equal(first?.write(headers), false);
    },
    (index, [first, second]) => {
      if (index === 0) first?.write(Buffer.alloc(0), true);
      else {
        first?.write(reserved(10));
        second?.write(Buffer.alloc(0), true);
      }
    },
  );
});

test('divides the bound among the streams that wait', { timeout, skip: skipNgtcp2 }, async () => {
  const ended = await serveTwo(([first, second]) => {
    first?.write(Buffer.concat([headers, reserved(16_000)]), true);
    second?.write(Buffer.concat([headers, reserved(2_000)]), true);
  });
  assert.deepEqual(ended, ['4', '0']);
});

test('passes on the end of a request with its last bytes', { timeout, skip: skipNgtcp2 }, async () => {
  const received: (readonly [hasBytes: boolean, isLast: boolean])[] = [];
  await using responder = await startResponder('', {
    handle: (stream) => ({
      onData(bytes, isLast) {
        received.push([bytes.length > 0, isLast]);
        stream.write(headers, true);
      },
    }),
  });
  await ngtcp2(responder.port, 'https://localhost/', ['--nstreams=2', '--no-http-dump']);
  assert.deepEqual(received, [
    [true, true],
    [true, true],
  ]);
});
