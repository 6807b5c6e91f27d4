/** The transport parameters of QUIC, an extension of the ClientHello (RFC 9000 §18). */
import { type ByteReader, readBytes } from './byte-reader.ts';
import { type ClientHello, extensionIds } from './client-hello.ts';
import { transportParameterNames } from './data/quic-names.ts';
import { nameWide, safeNumber } from './names.ts';

/** RFC 9000 §18.1. */
const greaseRemainder = 27n;

/** Returns the parameters in the order sent; null if the extension is absent or malformed. */
export function transportParametersOf({ extensions }: ClientHello) {
  const extension = extensions?.find(({ id }) => id === extensionIds.quicTransportParameters);
  return extension ? readBytes(extension.content, (reader) => reader.all(readParameter)) : null;
}

/** Reads a parameter; its value is null if the content is not one integer. */
function readParameter(reader: ByteReader) {
  const id = nameWide(reader.varint(), transportParameterNames, greaseRemainder);
  const content = reader.take(Number(reader.varint()));
  const value = readBytes(content, (inner) => {
    const number = inner.varint();
    return inner.isAtEnd ? safeNumber(number) : null;
  });
  return { ...id, value, length: content.length };
}
