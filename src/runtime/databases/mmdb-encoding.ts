/** Encoding of values in MaxMind's database format (https://maxmind.github.io/MaxMind-DB/, version 2.0). */

/** A value of the format. Whole numbers from 0 become unsigned integers, all others doubles. */
export type MmdbValue = string | number | boolean | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

export interface MmdbMetadata {
  readonly databaseType: string;
  readonly ipVersion: 4 | 6;
  readonly description: string;
  readonly builtSeconds: number;
}

/** Size of the zero bytes between search tree and data. */
export const separatorBytes = 16;

const metadataMarker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const types = { pointer: 1, string: 2, double: 3, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 } as const;

export function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([encodeControl('string', bytes.length), bytes]);
  }
  if (typeof value === 'boolean') return encodeControl('boolean', value ? 1 : 0);
  if (typeof value === 'number') return encodeNumber(value);
  if (Array.isArray(value)) return Buffer.concat([encodeControl('array', value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([encodeControl('map', entries.length), ...entries.flat().map(encode)]);
}

/** Joins search tree, data and metadata to a database file. */
export function assembleDatabase(
  tree: Buffer,
  data: readonly Buffer[],
  nodeCount: number,
  recordBits: number,
  { databaseType, ipVersion, description, builtSeconds }: MmdbMetadata,
): Buffer {
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: builtSeconds,
    database_type: databaseType,
    description: { en: description },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodeCount,
    record_size: recordBits,
  });
  return Buffer.concat([tree, Buffer.alloc(separatorBytes), ...data, metadataMarker, metadata]);
}

/** The first bytes of a map with this number of entries; keys and values follow. */
export const encodeMapStart = (entries: number): Buffer => encodeControl('map', entries);

/** A pointer to an offset below 2,048 in the data. */
export function encodePointer(offset: number): Buffer {
  return Buffer.from([(types.pointer << 5) | (offset >> 8), offset & 255]);
}

function encodeNumber(value: number): Buffer {
  if (!Number.isInteger(value) || value < 0) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([encodeControl('double', 8), bytes]);
  }
  const bytes = Buffer.alloc(value < 2 ** 32 ? 4 : 8);
  if (bytes.length === 4) bytes.writeUInt32BE(value);
  else bytes.writeBigUInt64BE(BigInt(value));
  return Buffer.concat([encodeControl(bytes.length === 4 ? 'uint32' : 'uint64', bytes.length), bytes]);
}

/** Type and size of a field. A type above 7 needs a byte of its own, and so does a size from 29. */
function encodeControl(type: keyof typeof types, size: number): Buffer {
  const number = types[type];
  const [short, more] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]];
  return Buffer.from([...(number > 7 ? [short, number - 7] : [(number << 5) | short]), ...more]);
}
