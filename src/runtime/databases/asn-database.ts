/** Converts the CSV files of `@ip-location-db/asn` to a database in MaxMind's format (https://maxmind.github.io/MaxMind-DB/, version 2.0). */

interface AsnSource {
  /** Rows `first,last,number,organization` with decimal addresses, sorted. Where ranges overlap, the first one applies. */
  readonly ipv4: string;
  readonly ipv6: string;
  readonly builtSeconds: number;
}

/** An address range with both ends included, and the offset of its record in the data. IPv4 is ::/96, as in the database. */
interface AddressRange {
  readonly first: bigint;
  last: bigint;
  readonly record: number;
}

/** Converts both files. `progress` receives the number of characters read so far. */
export function createAsnDatabase(
  { ipv4, ipv6, builtSeconds }: AsnSource,
  progress: (characters: number) => void,
): Buffer {
  const { data, offsetOf } = createRecords();
  const ranges: AddressRange[] = [];
  for (const characters of readRanges(ipv4, ranges, offsetOf)) progress(characters);
  for (const characters of readRanges(ipv6, ranges, offsetOf)) progress(ipv4.length + characters);
  const branches = buildTree(ranges);
  const nodeCount = branches.length / 2;
  const tree = Buffer.alloc(branches.length * 4);
  branches.forEach((branch, at) => {
    const empty = branch === emptyBranch;
    const value = branch >= 0 ? branch : nodeCount + (empty ? 0 : separatorBytes + dataBranch - branch);
    tree.writeUInt32BE(value, at * 4);
  });
  return assembleDatabase(tree, data, {
    build_epoch: builtSeconds,
    database_type: 'Seenby-ASN',
    description: { en: 'Autonomous systems: Route Views, NRO and DB-IP, CC BY 4.0' },
    ip_version: 6,
    node_count: nodeCount,
    record_size: 32,
  });
}

/** Data section in which equal records are stored once, with pointers to the keys. */
function createRecords() {
  const numberKey = encode('autonomous_system_number');
  const organizationKey = encode('autonomous_system_organization');
  const data = [numberKey, organizationKey];
  const start = [encodeControl('map', 2), encodePointer(0)];
  const between = encodePointer(numberKey.length);
  const offsets = new Map<string, number>();
  let end = numberKey.length + organizationKey.length;
  /** Returns the offset of the record of an autonomous system. */
  const offsetOf = (number: string, organization: string): number => {
    const id = `${number},${organization}`;
    const known = offsets.get(id);
    if (known !== undefined) return known;
    const record = Buffer.concat([...start, encode(Number(number)), between, encode(organization)]);
    data.push(record);
    offsets.set(id, end);
    end += record.length;
    return end - record.length;
  };
  return { data, offsetOf };
}

const row = /^(\d+),(\d+),(\d+),(?:"((?:[^"]|"")*)"|(.*?))\r?$/;

const progressRows = 20_000;

/** Adds the ranges of a file. Yields the number of characters read so far, now and then. */
function* readRanges(
  csv: string,
  ranges: AddressRange[],
  offsetOf: (number: string, organization: string) => number,
): Generator<number> {
  const lines = csv.split('\n');
  let previousFirst = -1n;
  for (const [index, line] of lines.entries()) {
    if (index % progressRows === 0) yield (csv.length * index) / lines.length;
    if (line === '') continue;
    const [, start = '', end = '', number = '', quoted, plain = ''] = row.exec(line) ?? [];
    if (start === '') throw new Error(`row ${index + 1} is not "first,last,number,organization"`);
    if (BigInt(start) < previousFirst) throw new Error(`row ${index + 1} is not sorted`);
    previousFirst = BigInt(start);
    const previous = ranges.at(-1);
    const isOverlapping = previous !== undefined && previousFirst <= previous.last;
    const first = isOverlapping ? previous.last + 1n : previousFirst;
    const last = BigInt(end);
    const record = offsetOf(number, quoted?.replaceAll('""', '"') ?? plain);
    if (first > last) continue;
    // Neighbors with the same record become one range, so that the tree has fewer nodes.
    if (previous?.record === record && previous.last + 1n === first) previous.last = last;
    else ranges.push({ first, last, record });
  }
}

/** A branch of the tree that ends without a record. Other branches are the number of a node, or `dataBranch` minus an offset. */
const emptyBranch = -1;
const dataBranch = -2;

/** Part of the list of ranges, without the one at `to`. */
type Slice = readonly [from: number, to: number];

/** Returns the search tree: two branches for each node. */
function buildTree(ranges: readonly AddressRange[]): readonly number[] {
  const branches: number[] = [];
  /** Index of the first range whose last address is at least `address`. */
  const firstEndingFrom = (address: bigint, [low, high]: [number, number]): number => {
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle] as AddressRange).last < address) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** Returns the branch of the network at `start` with this number of further bits, to which the ranges of the slice belong. */
  const build = (start: bigint, bits: number, [from, to]: Slice): number => {
    const only = ranges[from];
    if (only === undefined || from === to) return emptyBranch;
    const size = 1n << BigInt(bits);
    if (to - from === 1 && only.first <= start && only.last >= start + size - 1n) return dataBranch - only.record;
    const at = branches.push(emptyBranch, emptyBranch) - 2;
    const middle = start + size / 2n;
    // The range at `split` ends in the upper half; it may begin in the lower one.
    const split = firstEndingFrom(middle, [from, to]);
    const isInBoth = split < to && (ranges[split] as AddressRange).first < middle;
    branches[at] = build(start, bits - 1, [from, isInBoth ? split + 1 : split]);
    branches[at + 1] = build(middle, bits - 1, [split, to]);
    return at / 2;
  };
  build(0n, 128, [0, ranges.length]);
  return branches;
}

/** A value of the format. Numbers are integers from 0 to 2^32-1. */
export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

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
export function assembleDatabase(
  tree: Buffer,
  data: readonly Buffer[],
  metadata: Readonly<Record<string, MmdbValue>>,
): Buffer {
  const format = { binary_format_major_version: 2, binary_format_minor_version: 0, languages: ['en'] };
  return Buffer.concat([
    tree,
    Buffer.alloc(separatorBytes),
    ...data,
    metadataMarker,
    encode({ ...format, ...metadata }),
  ]);
}

/** A pointer to an offset below 2,048 in the data. */
function encodePointer(offset: number): Buffer {
  return Buffer.from([(types.pointer << 5) | (offset >> 8), offset & 255]);
}

/** Type and size of a field, whose content follows. A type above 7 needs a byte of its own, and so does a size from 29. */
export function encodeControl(type: keyof typeof types, size: number): Buffer {
  const number = types[type];
  const [short, more] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]];
  return Buffer.from([...(number > 7 ? [short, number - 7] : [(number << 5) | short]), ...more]);
}
