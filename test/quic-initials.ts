/** First packets of QUIC clients that are valid: whoever receives one decrypts it and finds a whole ClientHello. */
import { randomBytes } from 'node:crypto';
import { deriveInitialKeys, encryptInitial } from '../src/native/quic/packets.ts';

/** Connection id of a client, which its ClientHello repeats. */
const sourceId = Buffer.from('8394c8f03e515708', 'hex');

/** The CRYPTO frame of RFC 9001 appendix A.2, with `h3` and `x` as its protocols instead of `alpn`. */
const cryptoFrame = Buffer.from(
  [
    '060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413011302010000c0',
    '00000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007000502683301780005000501',
    '00000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003020304',
    '000d0010000e0403050306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff05048000ffff07',
    '048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff',
  ].join(''),
  'hex',
);
/** With its header and tag, the least that a client may send (RFC 9000 §14.1). */
const frames = Buffer.concat([cryptoFrame, Buffer.alloc(1_154 - cryptoFrame.length)]);

/** Encrypts a packet of another client. */
export function initialWithHello(): Buffer {
  const destinationId = randomBytes(8);
  const ids = { destinationId: destinationId.toString('latin1'), sourceId: sourceId.toString('latin1') };
  return encryptInitial({ ...ids, number: 0, frames }, deriveInitialKeys(destinationId));
}
