/** Reads an extension of an X.509 certificate (RFC 5280 §4.1): the embedded signed certificate timestamps (RFC 6962 §3.3). */
import { ByteReader, CutShort, readBytes } from './byte-reader.ts';

/** An element of DER (ITU-T X.690 §8.1). */
interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The field `extensions` of a TBSCertificate. */
const extensionsTag = 0xa3;
/** 1.3.6.1.4.1.11129.2.4.2 */
const sctList = '2b06010401d679020402';

/** The number of timestamps, 0 without the extension; null if the certificate is malformed. */
export const countScts = (certificate: Uint8Array): number | null =>
  readBytes(certificate, () => {
    const fields = elementsOf(contentOf(elementsOf(contentOf(elementsOf(certificate)[0]))[0]));
    const extensions = fields.find(({ tag }) => tag === extensionsTag);
    if (extensions === undefined) return 0;
    for (const { content } of elementsOf(contentOf(elementsOf(extensions.content)[0]))) {
      const [id, ...values] = elementsOf(content);
      if (hexadecimal(contentOf(id)) !== sctList) continue;
      const list = contentOf(elementsOf(contentOf(values.at(-1)))[0]);
      return new ByteReader(new ByteReader(list).vector(2)).all((reader) => reader.vector(2)).length;
    }
    return 0;
  });

const elementsOf = (bytes: Uint8Array): DerElement[] => new ByteReader(bytes).all(readElement);

function readElement(reader: ByteReader): DerElement {
  const tag = reader.byte();
  const first = reader.byte();
  return { tag, content: reader.take(first < 0x80 ? first : readLength(reader, first & 0x7f)) };
}

/** More than four bytes: no certificate is as long. */
function readLength(reader: ByteReader, bytes: number): number {
  if (bytes < 1 || bytes > 4) throw new CutShort();
  return reader.number(bytes as 1 | 2 | 3 | 4);
}

function contentOf(element: DerElement | undefined): Uint8Array {
  if (element === undefined) throw new CutShort();
  return element.content;
}

const hexadecimal = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
