/** Parses the header that precedes a connection in the PROXY protocol (versions 1 and 2). */
// https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt
import { isIP, SocketAddress } from 'node:net';

const headerOf = (length: number, address: string | null = null, port = 0) => ({
  /** Bytes of the header; the following bytes belong to the connection. */
  length,
  /** The proxy's client, whose port is null if unknown; null if the proxy connects for itself or does not report it. */
  source: address === null ? null : { ip: formatAddress(address), port: port === 0 ? null : port },
});

/** A header, or the total number of bytes that the next attempt needs. */
type Reading = ReturnType<typeof headerOf> | number | 'malformed';

/** Returns an address as Node formats those of sockets (RFC 5952), and an IPv4-mapped one as IPv4. */
function formatAddress(address: string): string {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return new SocketAddress({ address, family }).address.replace(/^::ffff:(?=\d+\.)/, '');
}

const signature1 = [...'PROXY '].map((letter) => letter.charCodeAt(0));
const signature2 = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];

export function readProxyHeader(bytes: Uint8Array): Reading {
  for (const [signature, read] of [[signature1, readVersion1] as const, [signature2, readVersion2] as const]) {
    if (!signature.every((byte, at) => at >= bytes.length || bytes[at] === byte)) continue;
    return bytes.length < signature.length ? signature.length : read(bytes);
  }
  return 'malformed';
}

/** Including the line end, §2.1. */
const maxVersion1Bytes = 107;
const port = '(?:0|[1-9]\\d{0,4})';
const line = new RegExp(
  `^PROXY (?:TCP([46]) ([\\da-fA-F.:]+) ([\\da-fA-F.:]+) (${port}) (${port})|UNKNOWN(?: [^\\r\\n]*)?)\\r\\n$`,
);

function readVersion1(bytes: Uint8Array): Reading {
  const length = bytes.subarray(0, maxVersion1Bytes).indexOf(0x0a) + 1;
  if (length === 0) return bytes.length < maxVersion1Bytes ? bytes.length + 1 : 'malformed';
  const match = line.exec(String.fromCharCode(...bytes.subarray(0, length)));
  if (match === null) return 'malformed';
  const [, version, from, to = '', ...ports] = match;
  if (from === undefined) return headerOf(length);
  const isValid = [from, to].every((address) => isIP(address) === Number(version));
  if (!isValid || ports.some((each) => Number(each) > 65_535)) return 'malformed';
  return headerOf(length, from, Number(ports[0]));
}

const fixedBytes = 16;
/** Bytes of addresses and extensions (TLV): a client's certificate has 1 to 3 KB, with its chain several times as many. The protocol allows 64 KB. */
export const maxVersion2Bytes = 16_384;

/** Bytes of one address by transport and family, §2.2; only TCP over IP has client addresses. */
const addressBytes: Readonly<Record<number, number>> = { 0: 0, 17: 4, 33: 16, 49: 0 };

function readVersion2(bytes: Uint8Array): Reading {
  if (bytes.length < fixedBytes) return fixedBytes;
  const [command = 0, family = 0, high = 0, low = 0] = bytes.subarray(signature2.length);
  const length = fixedBytes + high * 256 + low;
  const isLocal = command === 0x20;
  const width = isLocal ? 0 : addressBytes[family];
  if ((!isLocal && command !== 0x21) || width === undefined || length > fixedBytes + maxVersion2Bytes)
    return 'malformed';
  // Two addresses, then their ports.
  if (width > 0 && length < fixedBytes + 2 * width + 4) return 'malformed';
  if (bytes.length < length) return length;
  if (width === 0) return headerOf(length);
  const source = bytes.subarray(fixedBytes, fixedBytes + width);
  const [portHigh = 0, portLow = 0] = bytes.subarray(fixedBytes + 2 * width);
  const groups = Array.from({ length: 8 }, (_, at) => Buffer.from(source).toString('hex', 2 * at, 2 * at + 2));
  return headerOf(length, width === 4 ? source.join('.') : groups.join(':'), portHigh * 256 + portLow);
}
