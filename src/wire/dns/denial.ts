/** Compact denial of existence (RFC 9824): a zone denies only types, and a proof states that a name does not exist. Pure. */
import { type ByteReader, readBytes } from '../byte-reader.ts';
import { nsec, nsec3, nxname } from './data/dns-parameters.ts';

/** Reads the data of a proof up to its types: a name without compression (RFC 4034 §4.1); four octets, a salt and a hash (RFC 5155 §3.2). */
const readersUpToTypes: Readonly<Record<number, (reader: ByteReader) => void>> = {
  [nsec](reader) {
    for (let size = reader.byte(); size > 0; size = reader.byte()) reader.take(size);
  },
  [nsec3](reader) {
    reader.take(4);
    reader.vector(1);
    reader.vector(1);
  },
};

/** Whether a record is the proof that a name does not exist. Data that is cut short proves nothing. */
export function deniesName({ type, octets }: { readonly type: number; readonly octets: Uint8Array }): boolean {
  const skipToTypes = readersUpToTypes[type];
  if (skipToTypes === undefined) return false;
  return (
    readBytes(octets, (reader) => {
      skipToTypes(reader);
      // RFC 4034 §4.1.2: blocks of 256 types, each with its number and a bit for each type that the name has.
      while (!reader.isAtEnd) {
        const block = reader.byte();
        const bits = reader.vector(1);
        if (block === nxname >> 8) return ((bits[(nxname & 0xff) >> 3] ?? 0) & (0x80 >> (nxname & 7))) !== 0;
      }
      return false;
    }) === true
  );
}
