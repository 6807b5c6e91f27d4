/** A sample of the records in a database, by which a database of the wrong kind is recognized before a client gets nothing from it. */
import type { Reader } from 'maxmind';
import { formatAddress } from '../../../core/address.ts';

/** Records besides the probes': a small database may have only a few networks, which no probe meets. */
const firstRecords = 32;

/** Walks the search tree from its start (MaxMind DB format 2.0, "Binary Search Tree Section"); a damaged one ends the walk. */
export function firstRecordsOf(reader: Reader<object>, bytes: Uint8Array): readonly object[] {
  const { nodeCount, recordSize, nodeByteSize, ipVersion } = reader.metadata;
  const width = ipVersion === 4 ? 32 : 128;
  const found: object[] = [];
  const pending: { readonly node: number; readonly bits: bigint; readonly depth: number }[] = [
    { node: 0, bits: 0n, depth: 0 },
  ];
  while (found.length < firstRecords) {
    const next = pending.pop();
    if (next === undefined) break;
    const { node, bits, depth } = next;
    if (node > nodeCount) {
      const address = formatAddress({ version: ipVersion === 4 ? 4 : 6, bits: bits << BigInt(width - depth) });
      found.push(reader.get(address) ?? {});
    } else if (node < nodeCount && depth < width) {
      const [left, right] = childrenOf(bytes, node * nodeByteSize, recordSize);
      pending.push({ node: right, bits: (bits << 1n) | 1n, depth: depth + 1 });
      pending.push({ node: left, bits: bits << 1n, depth: depth + 1 });
    }
  }
  return found;
}

/** The two records of a node, of 24, 28 or 32 bits: in the second case, the byte between them has half a byte of each. */
function childrenOf(bytes: Uint8Array, at: number, recordSize: number): readonly [left: number, right: number] {
  const byte = (index: number): number => bytes[at + index] ?? 0;
  const three = (index: number): number => (byte(index) << 16) | (byte(index + 1) << 8) | byte(index + 2);
  if (recordSize === 24) return [three(0), three(3)];
  if (recordSize === 28) return [(byte(3) >> 4) * 2 ** 24 + three(0), (byte(3) & 15) * 2 ** 24 + three(4)];
  return [byte(0) * 2 ** 24 + three(1), byte(4) * 2 ** 24 + three(5)];
}

const maxFields = 12;
const maxNameLength = 40;
const maxDepth = 3;

/** The dotted names of the fields in these records; names in other languages, and elements of lists, count once. */
export function fieldsIn(records: readonly object[]): readonly string[] {
  const found = new Set<string>();
  for (const record of records) collect(record, '', found);
  return [...found].slice(0, maxFields);
}

function collect(value: object, prefix: string, found: Set<string>): void {
  for (const [key, member] of Object.entries(value)) {
    const name = `${prefix}${key.slice(0, maxNameLength)}`;
    const isInner = typeof member === 'object' && member !== null && prefix.split('.').length < maxDepth;
    if (isInner && key !== 'names') collect(member, `${name}.`, found);
    else found.add(name);
  }
}
