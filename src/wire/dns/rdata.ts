/** Reads the data of DNS records of each supported type, with the names of the members in the RFCs. Pure. */
import { type Cursor, characterString, Malformed, readName, take, uint8, uint16, uint32 } from './cursor.ts';
import type { RecordType } from './data/dns-parameters.ts';
import { readServiceParameters } from './service-parameters.ts';

/** Each reads to `end` or throws a RangeError; the caller checks that exactly these octets were read. */
const readers = {
  A: (cursor: Cursor) => ({ address: take(cursor, 4) }),
  AAAA: (cursor: Cursor) => ({ address: take(cursor, 16) }),
  NS: readTarget,
  PTR: readTarget,
  CNAME: readTarget,
  MX: (cursor: Cursor) => ({ preference: uint16(cursor), exchange: readName(cursor) }),
  TXT(cursor: Cursor, end: number) {
    const strings: Uint8Array[] = [];
    while (cursor.at < end) strings.push(characterString(cursor));
    return { strings };
  },
  // RFC 8659 §4.1
  CAA: (cursor: Cursor, end: number) => ({
    flags: uint8(cursor),
    tag: characterString(cursor),
    value: rest(cursor, end),
  }),
  SOA: (cursor: Cursor) => ({
    mname: readName(cursor),
    rname: readName(cursor),
    serial: uint32(cursor),
    refresh: uint32(cursor),
    retry: uint32(cursor),
    expire: uint32(cursor),
    minimum: uint32(cursor),
  }),
  // RFC 2782
  SRV: (cursor: Cursor) => ({
    priority: uint16(cursor),
    weight: uint16(cursor),
    port: uint16(cursor),
    target: readName(cursor),
  }),
  HTTPS: readService,
  SVCB: readService,
  // RFC 4034 §5.1
  DS: (cursor: Cursor, end: number) => ({
    keyTag: uint16(cursor),
    algorithm: uint8(cursor),
    digestType: uint8(cursor),
    digest: rest(cursor, end),
  }),
  // RFC 4034 §2.1
  DNSKEY(cursor: Cursor, end: number) {
    const whole = cursor.bytes.subarray(cursor.at, end);
    return {
      flags: uint16(cursor),
      protocol: uint8(cursor),
      algorithm: uint8(cursor),
      publicKey: rest(cursor, end),
      keyTag: keyTagOf(whole),
    };
  },
  // RFC 6698 §2.1
  TLSA: (cursor: Cursor, end: number) => ({
    certificateUsage: uint8(cursor),
    selector: uint8(cursor),
    matchingType: uint8(cursor),
    certificateAssociationData: rest(cursor, end),
  }),
  // RFC 4255 §3.1
  SSHFP: (cursor: Cursor, end: number) => ({
    algorithm: uint8(cursor),
    fpType: uint8(cursor),
    fingerprint: rest(cursor, end),
  }),
  // RFC 3403 §4.1
  NAPTR: (cursor: Cursor) => ({
    order: uint16(cursor),
    preference: uint16(cursor),
    flags: characterString(cursor),
    services: characterString(cursor),
    regexp: characterString(cursor),
    replacement: readName(cursor),
  }),
} satisfies Record<RecordType, (cursor: Cursor, end: number) => object>;

function readTarget(cursor: Cursor) {
  return { target: readName(cursor) };
}

/** RFC 9460 §2.2 */
function readService(cursor: Cursor, end: number) {
  return {
    svcPriority: uint16(cursor),
    targetName: readName(cursor),
    svcParams: readServiceParameters(cursor, end),
  };
}

function rest(cursor: Cursor, end: number): Uint8Array {
  return take(cursor, end - cursor.at);
}

const rsaMd5 = 1;

/** RFC 4034 Appendix B; of the obsolete RSA/MD5, other octets (§B.1). `rdata` has at least four octets. */
function keyTagOf(rdata: Uint8Array): number {
  if (rdata[3] === rsaMd5) return ((rdata.at(-3) ?? 0) << 8) | (rdata.at(-2) ?? 0);
  const sum = rdata.reduce((total, octet, at) => total + (at % 2 === 0 ? octet << 8 : octet), 0);
  return (sum + (sum >>> 16)) & 0xffff;
}

/** The data of a record by its type. Addresses, digests and texts are octets; names are text, as `readName` writes them. */
export type Rdata = { [Type in RecordType]: { readonly type: Type } & ReturnType<(typeof readers)[Type]> }[RecordType];

/** Throws a RangeError, with the reason, unless the data up to `end` is one valid record. */
export function readRdata(type: RecordType, cursor: Cursor, end: number): Rdata {
  const members = readers[type](cursor, end);
  if (cursor.at !== end) throw new Malformed('it is longer than its type allows');
  return { type, ...members } as Rdata;
}
