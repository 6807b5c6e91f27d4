/** Parses the IP and TCP headers of a SYN as the kernel saves them (RFC 791, RFC 8200, RFC 9293). */
import { type ByteReader, readBytes } from './byte-reader.ts';

export interface TcpSyn {
  readonly ipVersion: 4 | 6;
  /** Time to live, or hop limit, as it arrived. */
  readonly ttl: number;
  /** Null over IPv6, which has no such bit. */
  readonly dontFragment: boolean | null;
  readonly windowSize: number;
  readonly mss: number | null;
  readonly windowScale: number | null;
  /** Kinds of the options in wire order, padding included. */
  readonly options: readonly number[];
}

const tcp = 6;
const dontFragmentBit = 0x40;
const optionKinds = { end: 0, noOperation: 1, mss: 2, windowScale: 3 } as const;

/** Null if the bytes are no IP packet that carries TCP directly. */
export function parseTcpSyn(bytes: Uint8Array): TcpSyn | null {
  const version = (bytes[0] ?? 0) >> 4;
  if (version !== 4 && version !== 6) return null;
  return readBytes(bytes, (reader) => {
    const network = version === 4 ? readIpv4(reader) : readIpv6(reader);
    if (network === null) return null;
    reader.take(12);
    const headerBytes = (reader.number(1) >> 4) * 4;
    reader.take(1);
    const windowSize = reader.number(2);
    reader.take(4);
    if (headerBytes < 20) return null;
    return { ...network, windowSize, ...readOptions(reader.take(headerBytes - 20)) };
  });
}

type Network = Pick<TcpSyn, 'ipVersion' | 'ttl' | 'dontFragment'>;

function readIpv4(reader: ByteReader): Network | null {
  const headerBytes = (reader.number(1) & 15) * 4;
  reader.take(5);
  const dontFragment = (reader.number(1) & dontFragmentBit) !== 0;
  reader.take(1);
  const ttl = reader.number(1);
  if (reader.number(1) !== tcp || headerBytes < 20) return null;
  reader.take(headerBytes - 10);
  return { ipVersion: 4, ttl, dontFragment };
}

function readIpv6(reader: ByteReader): Network | null {
  reader.take(6);
  if (reader.number(1) !== tcp) return null;
  const ttl = reader.number(1);
  reader.take(32);
  return { ipVersion: 6, ttl, dontFragment: null };
}

/** A malformed option ends the list. */
function readOptions(bytes: Uint8Array): Pick<TcpSyn, 'mss' | 'windowScale' | 'options'> {
  const options: number[] = [];
  let mss: number | null = null;
  let windowScale: number | null = null;
  readBytes(bytes, (reader) => {
    while (!reader.isAtEnd) {
      const kind = reader.number(1);
      if (kind === optionKinds.end || kind === optionKinds.noOperation) {
        options.push(kind);
        continue;
      }
      const length = reader.number(1);
      if (length < 2) return;
      const content = reader.take(length - 2);
      options.push(kind);
      if (kind === optionKinds.mss) mss ??= readBytes(content, (value) => value.number(2));
      if (kind === optionKinds.windowScale) windowScale ??= content[0] ?? null;
    }
  });
  return { mss, windowScale, options };
}

/** Initial values of common systems. */
const initialTtls = [32, 64, 128, 255] as const;

/** The next of the usual initial values; an estimate. */
export const initialTtlOf = (ttl: number): number => initialTtls.find((initial) => ttl <= initial) ?? 255;
