/** Builds HTTP/2 frames as bytes (RFC 9113 §4.1 and §6). */
import type { Http2Preface } from '../../../src/client/fingerprint/http2.ts';

type Priority = NonNullable<Http2Preface['headersPriority']>;

export function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

export function settingsFrame(...settings: (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * 6);
  settings.forEach(([id, value], n) => {
    payload.writeUInt16BE(id, n * 6);
    payload.writeUInt32BE(value, n * 6 + 2);
  });
  return frame(4, 0, 0, payload);
}

export const windowUpdateFrame = (increment: number): Buffer => {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frame(8, 0, 0, payload);
};

export const priorityFrame = ({ streamId, ...priority }: Priority & { streamId: number }): Buffer =>
  frame(2, 0, streamId, priorityPayload(priority));

/** `GET / https a`, each field from the static table or literal. */
const headerBlock = Buffer.from('828487410161', 'hex');

export const headersFrame = (priority: Priority | null): Buffer =>
  frame(
    1,
    priority === null ? 5 : 0x25,
    1,
    Buffer.concat([...(priority ? [priorityPayload(priority)] : []), headerBlock]),
  );

function priorityPayload({ exclusive, dependsOn, weight }: Priority): Buffer {
  const payload = Buffer.alloc(5);
  payload.writeUInt32BE(dependsOn + (exclusive ? 2 ** 31 : 0));
  payload[4] = weight - 1;
  return payload;
}
