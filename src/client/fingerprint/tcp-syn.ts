/** Parses the IP and TCP headers of a SYN as the kernel saves them (RFC 791, RFC 8200, RFC 9293). */
import { readBytes } from './byte-reader.ts';

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
const minTcpBytes = 20;
const optionKinds = { end: 0, noOperation: 1, mss: 2, windowScale: 3 } as const;

/** Null if the bytes are no IP packet that carries TCP directly. */
export function parseTcpSyn(bytes: Uint8Array): TcpSyn | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const network = bytes.length < 20 ? null : networkOf(view);
  if (network === null || bytes.length < network.headerBytes + minTcpBytes) return null;
  const { headerBytes, ...rest } = network;
  const tcpBytes = (view.getUint8(headerBytes + 12) >> 4) * 4;
  if (tcpBytes < minTcpBytes || bytes.length < headerBytes + tcpBytes) return null;
  const options = bytes.subarray(headerBytes + minTcpBytes, headerBytes + tcpBytes);
  return { ...rest, windowSize: view.getUint16(headerBytes + 14), ...readOptions(options) };
}

type Network = Pick<TcpSyn, 'ipVersion' | 'ttl' | 'dontFragment'> & { readonly headerBytes: number };

/** Reads the IP header, which has at least 20 bytes. */
function networkOf(view: DataView): Network | null {
  const first = view.getUint8(0);
  if (first >> 4 === 6 && view.getUint8(6) === tcp)
    return { ipVersion: 6, ttl: view.getUint8(7), dontFragment: null, headerBytes: 40 };
  const headerBytes = (first & 15) * 4;
  if (first >> 4 !== 4 || view.getUint8(9) !== tcp || headerBytes < 20) return null;
  const dontFragment = (view.getUint8(6) & dontFragmentBit) !== 0;
  return { ipVersion: 4, ttl: view.getUint8(8), dontFragment, headerBytes };
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
