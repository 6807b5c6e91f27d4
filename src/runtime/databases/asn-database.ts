/** Converts the CSV files of `@ip-location-db/asn` to a database in MaxMind's format (https://maxmind.github.io/MaxMind-DB/, version 2.0). */

interface AsnSource {
  /**
   * Rows `first,last,number,organization` with decimal addresses, sorted. Where ranges overlap, the first one applies. A character is a byte
   * of UTF-8 (the encoding latin1 of Node), because decoding takes as long as everything else.
   */
  readonly ipv4: string;
  readonly ipv6: string;
  readonly builtSeconds: number;
}

/** An address as four words of 32 bits, the first one most significant; IPv4 is ::/96, as in the database. A bigint would take twice the time. */
type Address = readonly number[];

const wordsOfAddress = 4;
/** What follows the last address. */
const endOfAddresses: Address = [2 ** 32, 0, 0, 0];

/** All addresses in ascending order, in ranges of which each begins where the one before it ends. */
interface Ranges {
  /** Words of the address after the last one of each. */
  readonly ends: number[];
  /** The branch of the tree for each: `emptyBranch`, or `dataBranch` minus the offset of a record in the data. */
  readonly branches: number[];
}

/** A branch of the tree that ends without a record. Others are the number of a node, or `dataBranch` minus an offset. */
const emptyBranch = -1;
const dataBranch = -2;

/** Converts both files. `progress` receives the number of characters read so far. */
export function createAsnDatabase(
  { ipv4, ipv6, builtSeconds }: AsnSource,
  progress: (characters: number) => void,
): Buffer {
  const { data, offsetOf } = createRecords();
  const ranges: Ranges = { ends: [], branches: [] };
  for (const characters of readRanges({ csv: ipv4, parse: parseIpv4 }, ranges, offsetOf)) progress(characters);
  for (const characters of readRanges({ csv: ipv6, parse: parseIpv6 }, ranges, offsetOf))
    progress(ipv4.length + characters);
  if (ranges.ends.at(-wordsOfAddress) !== endOfAddresses[0]) {
    ranges.ends.push(...endOfAddresses);
    ranges.branches.push(emptyBranch);
  }
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
  /** Returns the offset of the record of an entry `number,organization`; null if it is not one. */
  const offsetOf = (entry: string): number | null => {
    const known = offsets.get(entry);
    if (known !== undefined) return known;
    const [, number, quoted, plain = ''] = /^(\d+),(?:"((?:[^"]|"")*)"|(.*))$/.exec(entry) ?? [];
    if (number === undefined) return null;
    const organization = Buffer.from(quoted?.replaceAll('""', '"') ?? plain, 'latin1');
    const record = Buffer.concat([...start, encode(Number(number)), between, encodeText(organization)]);
    data.push(record);
    offsets.set(entry, end);
    end += record.length;
    return end - record.length;
  };
  return { data, offsetOf };
}

/** Returns the address of a decimal number. */
type Parse = (decimal: string) => Address;

const parseIpv4: Parse = (decimal) => [0, 0, 0, Number(decimal)];

const bytes = new DataView(new ArrayBuffer(16));
const parseIpv6: Parse = (decimal) => {
  const value = BigInt(decimal);
  bytes.setBigUint64(0, value >> 64n);
  bytes.setBigUint64(8, value);
  return [bytes.getUint32(0), bytes.getUint32(4), bytes.getUint32(8), bytes.getUint32(12)];
};

/** Returns the next address, or `endOfAddresses`. */
function nextOf(address: Address): Address {
  const next = [...address];
  let at = wordsOfAddress - 1;
  for (; at > 0 && next[at] === 2 ** 32 - 1; at -= 1) next[at] = 0;
  next[at] = (next[at] as number) + 1;
  return next;
}

/** Compares the address at an index of a list of words with another one. */
function compare(list: readonly number[], at: number, address: Address): number {
  for (let word = 0; word < wordsOfAddress; word += 1) {
    const difference = (list[at + word] as number) - (address[word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

const row = /^(\d+),(\d+),([^\r]*)\r?$/;

const progressRows = 20_000;

/** Adds the ranges of a file, and those between them. Yields the number of characters read so far, now and then. */
function* readRanges(
  { csv, parse }: { readonly csv: string; readonly parse: Parse },
  { ends, branches }: Ranges,
  offsetOf: (entry: string) => number | null,
): Generator<number> {
  let previousFirst: Address = [0, 0, 0, 0];
  let end = branches.length === 0 ? previousFirst : ends.slice(-wordsOfAddress);
  const add = (rangeEnd: Address, branch: number): void => {
    end = rangeEnd;
    // Neighbors with the same record become one range, so that the tree has fewer nodes.
    if (branches.at(-1) === branch) ends.length -= wordsOfAddress;
    else branches.push(branch);
    for (const word of rangeEnd) ends.push(word);
  };
  for (let at = 0, index = 1; at < csv.length; index += 1) {
    if (index % progressRows === 1) yield at;
    const lineEnd = csv.indexOf('\n', at);
    const line = lineEnd === -1 ? csv.slice(at) : csv.slice(at, lineEnd);
    at += line.length + 1;
    if (line === '') continue;
    const [, start = '', last = '', entry = ''] = row.exec(line) ?? [];
    const record = offsetOf(entry);
    if (record === null) throw new Error(`row ${index} is not "first,last,number,organization"`);
    const first = parse(start);
    if (compare(first, 0, previousFirst) < 0) throw new Error(`row ${index} is not sorted`);
    previousFirst = first;
    if (compare(first, 0, end) > 0) add(first, emptyBranch);
    const rangeEnd = nextOf(parse(last));
    if (compare(rangeEnd, 0, end) > 0) add(rangeEnd, dataBranch - record);
  }
}

/** Returns the search tree: two branches for each node. */
function buildTree({ ends, branches: leaves }: Ranges): readonly number[] {
  const branches: number[] = [];
  /** Index of the first range that ends after `address`; the last one of the part does. */
  const firstEndingAfter = (address: Address, low: number, last: number): number => {
    while (low < last) {
      const middle = (low + last) >> 1;
      if (compare(ends, middle * wordsOfAddress, address) <= 0) low = middle + 1;
      else last = middle;
    }
    return low;
  };
  /** The first address of the upper half of a network. */
  const middle = [0, 0, 0, 0];
  /** Returns the branch of the network that `bits` bits of `middle` name, with the ranges from `first` to `last`. */
  const build = (bits: number, first: number, last: number): number => {
    if (first === last) return leaves[first] as number;
    const at = branches.push(emptyBranch, emptyBranch) - 2;
    const word = bits >> 5;
    const bit = 2 ** (31 - (bits & 31));
    middle[word] = (middle[word] as number) + bit;
    const upper = firstEndingAfter(middle, first, last);
    const beginsAtMiddle = upper > first && compare(ends, (upper - 1) * wordsOfAddress, middle) === 0;
    middle[word] = (middle[word] as number) - bit;
    branches[at] = build(bits + 1, first, beginsAtMiddle ? upper - 1 : upper);
    middle[word] = (middle[word] as number) + bit;
    branches[at + 1] = build(bits + 1, upper, last);
    middle[word] = (middle[word] as number) - bit;
    return at / 2;
  };
  build(0, 0, leaves.length - 1);
  return branches;
}

/** A value of the format. Numbers are integers from 0 to 2^32-1. */
export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

/** Size of the zero bytes between search tree and data. */
export const separatorBytes = 16;

const metadataMarker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const types = { pointer: 1, string: 2, double: 3, uint32: 6, map: 7, array: 11, boolean: 14 } as const;

export function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return encodeText(Buffer.from(value));
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([encodeControl('uint32', bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([encodeControl('array', value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([encodeControl('map', entries.length), ...entries.flat().map(encode)]);
}

/** A string, from its UTF-8. */
const encodeText = (text: Buffer): Buffer => Buffer.concat([encodeControl('string', text.length), text]);

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
