/** Parses the IP and TCP headers of a SYN as the kernel saves them (RFC 791, RFC 8200, RFC 9293). */
import { type ByteReader, readBytes } from '../../wire/byte-reader.ts';
import { tcpOptionNames } from './data/connection-names.ts';
import { linkNames } from './data/link-names.ts';
import { named } from './names.ts';

const tcp = 6;
const dontFragmentBit = 0x40;
const minTcpBytes = 20;
const optionKinds = { end: 0, noOperation: 1, mss: 2, windowScale: 3 } as const;

/** Null if the bytes are no IP packet that carries TCP directly. IPv6 has no bit against fragments. */
export function parseTcpSyn(bytes: Uint8Array) {
  const network = networkOf(bytes);
  if (network === null) return null;
  const { headerBytes, ttl, ...others } = network;
  return readBytes(bytes.subarray(headerBytes), (segment) => {
    segment.take(12);
    const optionBytes = (segment.number(1) >> 4) * 4 - minTcpBytes;
    segment.take(1);
    const windowSize = segment.number(2);
    segment.take(4);
    const initialTtlEstimate = initialTtls.find((initial) => ttl <= initial) ?? 255;
    const options = readOptions(segment.take(optionBytes));
    // The MSS counts neither of the two headers (RFC 9293 §3.7.1).
    const mtu = options.mss === null ? null : options.mss + headersBytes[others.ipVersion];
    const link = mtu === null ? null : (linkNames.get(mtu) ?? null);
    return { ...others, ttl, initialTtlEstimate, windowSize, ...options, mtu, link };
  });
}

/** IP and TCP headers without options. */
const headersBytes = { 4: 40, 6: 60 } as const;

/** Initial values of common systems. */
const initialTtls = [32, 64, 128, 255] as const;

/** Values of the IP header. */
function networkOf(bytes: Uint8Array) {
  const first = bytes[0] ?? 0;
  if (first >> 4 === 6 && bytes[6] === tcp)
    return { ipVersion: 6 as const, ttl: bytes[7] ?? 0, dontFragment: null, headerBytes: 40 };
  const headerBytes = (first & 15) * 4;
  if (first >> 4 !== 4 || bytes[9] !== tcp || headerBytes < 20) return null;
  const dontFragment = ((bytes[6] ?? 0) & dontFragmentBit) !== 0;
  return { ipVersion: 4 as const, ttl: bytes[8] ?? 0, dontFragment, headerBytes };
}

/** Reads the options in wire order, padding included; a malformed one ends the list. */
function readOptions(bytes: Uint8Array) {
  const options: ReturnType<typeof readOption>[] = [];
  readBytes(bytes, (reader) => reader.all(readOption, options));
  const contentOf = (kind: number) => options.find(({ id }) => id === kind)?.content ?? new Uint8Array();
  return {
    mss: readBytes(contentOf(optionKinds.mss), (content) => content.number(2)),
    windowScale: contentOf(optionKinds.windowScale)[0] ?? null,
    options: options.map(({ id, name }) => ({ id, name })),
  };
}

function readOption(reader: ByteReader) {
  const kind = reader.number(1);
  const isPadding = kind === optionKinds.end || kind === optionKinds.noOperation;
  return { ...named(kind, tcpOptionNames), content: isPadding ? null : reader.take(reader.number(1) - 2) };
}
