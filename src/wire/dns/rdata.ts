/** Reads the data of DNS records of each supported type, with the names of the members in the RFCs. Pure. */
import type { ByteReader } from '../byte-reader.ts';
import type { RecordType } from './data/dns-parameters.ts';
import { characterString, Malformed, readName } from './name.ts';
import { readServiceParameters } from './service-parameters.ts';

/** Each reads to the end or throws a RangeError; the caller checks that exactly these octets were read. */
const readers = {
  A: (reader: ByteReader) => ({ address: reader.take(4) }),
  AAAA: (reader: ByteReader) => ({ address: reader.take(16) }),
  NS: readTarget,
  PTR: readTarget,
  CNAME: readTarget,
  MX: (reader: ByteReader) => ({ preference: reader.number(2), exchange: readName(reader) }),
  TXT(reader: ByteReader) {
    const strings: Uint8Array[] = [];
    while (!reader.isAtEnd) strings.push(characterString(reader));
    return { strings };
  },
  // RFC 8659 §4.1
  CAA: (reader: ByteReader) => ({
    flags: reader.byte(),
    tag: characterString(reader),
    value: reader.rest(),
  }),
  SOA: (reader: ByteReader) => ({
    mname: readName(reader),
    rname: readName(reader),
    serial: reader.number(4),
    refresh: reader.number(4),
    retry: reader.number(4),
    expire: reader.number(4),
    minimum: reader.number(4),
  }),
  // RFC 2782
  SRV: (reader: ByteReader) => ({
    priority: reader.number(2),
    weight: reader.number(2),
    port: reader.number(2),
    target: readName(reader),
  }),
  HTTPS: readService,
  SVCB: readService,
  // RFC 4034 §5.1
  DS: (reader: ByteReader) => ({
    keyTag: reader.number(2),
    algorithm: reader.byte(),
    digestType: reader.byte(),
    digest: reader.rest(),
  }),
  // RFC 4034 §2.1
  DNSKEY(reader: ByteReader) {
    const whole = reader.bytes.subarray(reader.position);
    return {
      flags: reader.number(2),
      protocol: reader.byte(),
      algorithm: reader.byte(),
      publicKey: reader.rest(),
      keyTag: keyTagOf(whole),
    };
  },
  // RFC 6698 §2.1
  TLSA: (reader: ByteReader) => ({
    certificateUsage: reader.byte(),
    selector: reader.byte(),
    matchingType: reader.byte(),
    certificateAssociationData: reader.rest(),
  }),
  // RFC 4255 §3.1
  SSHFP: (reader: ByteReader) => ({
    algorithm: reader.byte(),
    fpType: reader.byte(),
    fingerprint: reader.rest(),
  }),
  // RFC 3403 §4.1
  NAPTR: (reader: ByteReader) => ({
    order: reader.number(2),
    preference: reader.number(2),
    flags: characterString(reader),
    services: characterString(reader),
    regexp: characterString(reader),
    replacement: readName(reader),
  }),
} satisfies Record<RecordType, (reader: ByteReader) => object>;

function readTarget(reader: ByteReader) {
  return { target: readName(reader) };
}

/** RFC 9460 §2.2 */
function readService(reader: ByteReader) {
  const svcPriority = reader.number(2);
  const targetName = readName(reader);
  return { svcPriority, targetName, svcParams: readServiceParameters(reader, svcPriority === 0 ? 'alias' : 'service') };
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

/** Throws a RangeError unless the data up to the reader's end is one valid record. */
export function readRdata(type: RecordType, reader: ByteReader): Rdata {
  const members = readers[type](reader);
  if (!reader.isAtEnd) throw new Malformed('it is longer than its type allows');
  return { type, ...members } as Rdata;
}
