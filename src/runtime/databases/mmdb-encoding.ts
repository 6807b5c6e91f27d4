/** Encoding of values in MaxMind's database format (https://maxmind.github.io/MaxMind-DB/, version 2.0). */

/** A value of the format. Numbers are integers from 0 to 2^32-1. */
export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

export interface MmdbMetadata {
  readonly databaseType: string;
  readonly ipVersion: 4 | 6;
  readonly description: string;
  readonly builtSeconds: number;
  readonly nodeCount: number;
}

/** Size of the zero bytes between search tree and data. */
export const separatorBytes = 16;

const metadataMarker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const types = { pointer: 1, string: 2, double: 3, uint32: 6, map: 7, array: 11, boolean: 14 } as const;

export function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([encodeControl('string', bytes.length), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([encodeControl('uint32', bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([encodeControl('array', value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([encodeControl('map', entries.length), ...entries.flat().map(encode)]);
}

/** Joins search tree, data and metadata to a database file. */
export function assembleDatabase(tree: Buffer, data: readonly Buffer[], metadata: MmdbMetadata): Buffer {
  const encoded = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: metadata.builtSeconds,
    database_type: metadata.databaseType,
    description: { en: metadata.description },
    ip_version: metadata.ipVersion,
    languages: ['en'],
    node_count: metadata.nodeCount,
    record_size: (tree.length * 4) / metadata.nodeCount,
  });
  return Buffer.concat([tree, Buffer.alloc(separatorBytes), ...data, metadataMarker, encoded]);
}

/** A pointer to an offset below 2,048 in the data. */
export function encodePointer(offset: number): Buffer {
  return Buffer.from([(types.pointer << 5) | (offset >> 8), offset & 255]);
}

/** Type and size of a field, whose content follows. A type above 7 needs a byte of its own, and so does a size from 29. */
export function encodeControl(type: keyof typeof types, size: number): Buffer {
  const number = types[type];
  const [short, more] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]];
  return Buffer.from([...(number > 7 ? [short, number - 7] : [(number << 5) | short]), ...more]);
}
