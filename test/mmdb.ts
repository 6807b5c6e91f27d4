/** Writes small databases in MaxMind's format (https://maxmind.github.io/MaxMind-DB/, version 2.0) for tests. */

import { assembleDatabase, encode, encodeControl, separatorBytes } from '../src/runtime/databases/asn-database.ts';

/** A value of a record. Integers from 0 to 2^32-1 become unsigned integers, all other numbers doubles. */
type MmdbValue = string | number | boolean | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

export interface Mmdb {
  readonly databaseType: string;
  readonly ipVersion: 4 | 6;
  /** Records by network (`127.0.0.0/8`, `::1/128`); a network inside another one wins over it. */
  readonly networks: Readonly<Record<string, MmdbValue>>;
}

const recordBits = 24;
/** A place in the tree: another node, the offset of a record in the data section, or nothing. */
type Branch = TreeNode | number | null;
type TreeNode = [Branch, Branch];

export function writeMmdb({ databaseType, ipVersion, networks }: Mmdb): Buffer {
  const data: Buffer[] = [];
  const root: TreeNode = [null, null];
  let dataBytes = 0;
  const parsed = Object.entries(networks).map(([network, record]) => ({ bits: bitsOf(network, ipVersion), record }));
  for (const { bits, record } of parsed.sort((one, other) => one.bits.length - other.bits.length)) {
    insert(root, bits, dataBytes);
    const encoded = encodeRecord(record);
    data.push(encoded);
    dataBytes += encoded.length;
  }
  const nodes = nodesOf(root);
  return assembleDatabase(treeOf(nodes), data, {
    build_epoch: 1_700_000_000,
    database_type: databaseType,
    description: { en: 'for a test' },
    ip_version: ipVersion,
    node_count: nodes.length,
    record_size: recordBits,
  });
}

/** Also encodes the types that the converted ASN database does not have. */
function encodeRecord(value: MmdbValue): Buffer {
  if (typeof value === 'boolean') return encodeControl('boolean', value ? 1 : 0);
  if (typeof value === 'number' && value >>> 0 !== value) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([encodeControl('double', bytes.length), bytes]);
  }
  if (typeof value !== 'object') return encode(value);
  const entries = Array.isArray(value) ? value : Object.entries(value).flat();
  const control = Array.isArray(value)
    ? encodeControl('array', value.length)
    : encodeControl('map', entries.length / 2);
  return Buffer.concat([control, ...entries.map(encodeRecord)]);
}

/** The bits of a network's prefix; in an IPv6 tree an IPv4 network stands under ::/96. */
function bitsOf(network: string, ipVersion: 4 | 6): string {
  const [address = '', length = ''] = network.split('/');
  if (address.includes(':')) {
    if (ipVersion === 4) throw new Error(`${network} does not fit into an IPv4 tree`);
    const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
    const groups =
      tail === undefined ? head : [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
    return groups
      .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
      .join('')
      .slice(0, +length);
  }
  const bits = address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, +length);
  return ipVersion === 4 ? bits : '0'.repeat(96) + bits;
}

function insert(root: TreeNode, bits: string, offset: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = bit === '1' ? 1 : 0;
    const next = node[side];
    const child: TreeNode = Array.isArray(next) ? next : [next, next];
    node[side] = child;
    node = child;
  }
  node[bits.endsWith('1') ? 1 : 0] = offset;
}

function nodesOf(root: TreeNode): TreeNode[] {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.filter((branch) => Array.isArray(branch)));
  return nodes;
}

function treeOf(nodes: readonly TreeNode[]): Buffer {
  const tree = Buffer.alloc((nodes.length * 2 * recordBits) / 8);
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const pointer = (branch: Branch): number => {
    if (branch === null) return nodes.length;
    return typeof branch === 'number' ? nodes.length + separatorBytes + branch : (numbers.get(branch) ?? nodes.length);
  };
  nodes.flat().forEach((branch, at) => {
    tree.writeUIntBE(pointer(branch as Branch), at * 3, 3);
  });
  return tree;
}

/** A city record as GeoIP2, GeoLite2 and DB-IP write it, in part. */
export const nestedOslo = {
  city: { names: { de: 'Oslo (de)', en: 'Oslo' } },
  continent: { code: 'EU', names: { en: 'Europe' } },
  country: { iso_code: 'NO', names: { en: 'Norway' } },
  location: { latitude: 59.9127, longitude: 10.7461, time_zone: 'Europe/Oslo' },
  postal: { code: '0150' },
  subdivisions: [{ iso_code: '03', names: { en: 'Oslo County' } }],
} as const satisfies MmdbValue;

/** A city record as ip-location-db writes it. */
export const flatOslo = {
  city: 'Oslo',
  country_code: 'NO',
  latitude: 59.9127,
  longitude: 10.7461,
  postcode: '0150',
  state1: 'Oslo County',
  timezone: 'Europe/Oslo',
} as const satisfies MmdbValue;
