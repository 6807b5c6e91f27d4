/** Converts the CSV files of `@ip-location-db/asn` to a database in MaxMind's format. */
import { assembleDatabase, encode, encodeMapStart, encodePointer, separatorBytes } from './mmdb-encoding.ts';

/** An address range with both ends included, and the offset of its record in the data. */
interface Range {
  first: bigint;
  last: bigint;
  readonly record: number;
}

export interface AsnSource {
  /** Rows `first,last,number,organization` with decimal addresses, sorted. Where ranges overlap, the first one applies. */
  readonly ipv4: string;
  readonly ipv6: string;
  readonly builtSeconds: number;
}

const keys = ['autonomous_system_number', 'autonomous_system_organization'].map(encode) as [Buffer, Buffer];
const keyPointers = [encodePointer(0), encodePointer(keys[0].length)] as const;
const emptyNode = -1;

/** Converts both files; `progress` receives the number of characters processed so far. */
export function createAsnDatabase(source: AsnSource, progress: (characters: number) => void): Buffer {
  const records = createRecords();
  const ipv4 = readRanges(source.ipv4, records.offsetOf, progress);
  const ipv6 = readRanges(source.ipv6, records.offsetOf, (done) => progress(source.ipv4.length + done));
  const tree = createTree();
  const root4 = tree.build(ipv4, 32);
  // ::/96 is the place of IPv4 in an IPv6 tree.
  tree.build(ipv6, 128, root4);
  return assembleDatabase(tree.encode(), [...keys, ...records.data], tree.nodeCount(), recordBits, {
    databaseType: 'Seenby-ASN',
    ipVersion: 6,
    description: 'Autonomous systems: Route Views, NRO and DB-IP, CC BY 4.0',
    builtSeconds: source.builtSeconds,
  });
}

/** Data section in which equal records are stored once, with pointers to the keys. */
function createRecords() {
  const data: Buffer[] = [];
  const offsets = new Map<string, number>();
  let end = keys[0].length + keys[1].length;
  const offsetOf = (number: string, organization: string): number => {
    const id = `${number},${organization}`;
    const known = offsets.get(id);
    if (known !== undefined) return known;
    const offset = end;
    const record = Buffer.concat([
      encodeMapStart(2),
      keyPointers[0],
      encode(Number(number)),
      keyPointers[1],
      encode(organization),
    ]);
    data.push(record);
    offsets.set(id, offset);
    end += record.length;
    return offset;
  };
  return { data, offsetOf };
}

const row = /^(\d+),(\d+),(\d+),(?:"((?:[^"]|"")*)"|(.*?))\r?$/;
const progressRows = 20_000;

function readRanges(
  csv: string,
  offsetOf: (number: string, organization: string) => number,
  progress: (characters: number) => void,
): Range[] {
  const ranges: Range[] = [];
  let rows = 0;
  let previousFirst = -1n;
  for (let start = 0; start < csv.length; ) {
    const newline = csv.indexOf('\n', start);
    const end = newline === -1 ? csv.length : newline;
    const [, first = '', last = '', number = '', quoted, plain] = row.exec(csv.slice(start, end)) ?? [];
    start = end + 1;
    if (first === '') throw new Error(`row ${rows + 1} is not "first,last,number,organization"`);
    const record = offsetOf(number, quoted?.replaceAll('""', '"') ?? plain ?? '');
    const previous = ranges.at(-1);
    const range = { first: BigInt(first), last: BigInt(last), record };
    rows += 1;
    if (range.first < previousFirst) throw new Error(`row ${rows} is not sorted`);
    previousFirst = range.first;
    if (previous !== undefined && range.first <= previous.last) range.first = previous.last + 1n;
    if (range.first > range.last) continue;
    // Neighbors with the same record become one range, so that the tree has fewer nodes.
    if (previous?.record === record && previous.last + 1n === range.first) previous.last = range.last;
    else ranges.push(range);
    if (rows % progressRows === 0) progress(start);
  }
  return ranges;
}

const recordBits = 32;
const nodeBytes = (2 * recordBits) / 8;

function createTree() {
  // Two entries per node: a node number, `emptyNode`, or -2 - the offset of a record.
  const branches: number[] = [];

  /** Builds a tree of `bits` levels and returns its root; `ipv4` is the root at the all-zero prefix of 96 bits. */
  function build(ranges: readonly Range[], bits: number, ipv4?: number): number {
    const descend = (first: bigint, bit: number, from: number, to: number): number => {
      if (ipv4 !== undefined && bit === 32 && first === 0n) return ipv4;
      const holdsIpv4 = ipv4 !== undefined && bit > 32 && first === 0n;
      if (from === to && !holdsIpv4) return emptyNode;
      const last = first + (1n << BigInt(bit)) - 1n;
      const only = ranges[from];
      if (to - from === 1 && only !== undefined && only.first <= first && only.last >= last && !holdsIpv4)
        return -2 - only.record;
      const node = reserve();
      fill(node, first, bit, from, to, descend);
      return node;
    };
    const fill = (node: number, first: bigint, bit: number, from: number, to: number, next: typeof descend): void => {
      const half = first + (1n << BigInt(bit - 1));
      // Ranges from `split` on end in the upper half; the one at `split` may begin in the lower half.
      const split = firstEndingFrom(ranges, half, from, to);
      const lowerEnd = split < to && (ranges[split] as Range).first < half ? split + 1 : split;
      branches[2 * node] = next(first, bit - 1, from, lowerEnd);
      branches[2 * node + 1] = next(half, bit - 1, split, to);
    };
    if (ipv4 === undefined) return descend(0n, bits, 0, ranges.length);
    // The root of the file is node 0, which `reserve` kept free.
    fill(0, 0n, bits, 0, ranges.length, descend);
    return 0;
  }

  function reserve(): number {
    branches.push(emptyNode, emptyNode);
    return branches.length / 2 - 1;
  }

  reserve();
  const nodeCount = () => branches.length / 2;
  return {
    build,
    nodeCount,
    encode(): Buffer {
      const tree = Buffer.alloc(nodeCount() * nodeBytes);
      branches.forEach((branch, at) => {
        const value =
          branch === emptyNode ? nodeCount() : branch >= 0 ? branch : nodeCount() + separatorBytes - 2 - branch;
        tree.writeUInt32BE(value, at * (nodeBytes / 2));
      });
      return tree;
    },
  };
}

/** Index of the first range in [from, to) whose last address is at least `address`. */
function firstEndingFrom(ranges: readonly Range[], address: bigint, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Range).last < address) low = middle + 1;
    else high = middle;
  }
  return low;
}
