/** The transport parameters of QUIC, an extension of the ClientHello (RFC 9000 §18). */
import { type ByteReader, readBytes } from './byte-reader.ts';
import { type ClientHello, extensionIds } from './client-hello.ts';

export interface TransportParameter {
  /** Rounded above 2^53. */
  readonly id: number;
  readonly length: number;
  /** Null if the content is not one integer. */
  readonly value: number | null;
  readonly isGrease: boolean;
}

const greaseRemainder = 27n;

/** Returns the parameters in the order sent; null if the extension is absent or malformed. */
export function transportParametersOf({ extensions }: ClientHello): readonly TransportParameter[] | null {
  const extension = extensions?.find(({ id }) => id === extensionIds.quicTransportParameters);
  return extension ? readBytes(extension.content, (reader) => reader.all(readParameter)) : null;
}

function readParameter(reader: ByteReader): TransportParameter {
  const id = reader.varint();
  const content = reader.take(Number(reader.varint()));
  const value = readBytes(content, (inner) => {
    const number = inner.varint();
    return inner.isAtEnd ? Number(number) : null;
  });
  return { id: Number(id), length: content.length, value, isGrease: id % 31n === greaseRemainder };
}
