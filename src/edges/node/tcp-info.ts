/** Round trip and delivery rate of a TCP connection, from the kernel (Linux TCP_INFO). */
import type { Socket } from 'node:net';
import type { Transport } from '../../core/observed.ts';

export const unmeasured: Transport = { clientTcpRttMs: null, clientQuicRttMs: null, deliveryRateBps: null };

// struct tcp_info of include/uapi/linux/tcp.h; an older kernel returns fewer bytes.
const infoBytes = 232;
const rttMicrosecondsAt = 68;
const deliveryRateAt = 160;
const protocolTcp = 6;
const optionTcpInfo = 11;

const info = Buffer.alloc(infoBytes);
const length = Buffer.alloc(4);
const fillInfo = await loadGetSockOpt();

/** Calls getsockopt(2) for TCP_INFO into `info` and `length`; returns its result. */
async function loadGetSockOpt(): Promise<((fd: number) => number) | null> {
  if (process.platform !== 'linux') return null;
  try {
    const ffi = await import('node:ffi');
    const { functions } = ffi.dlopen(null, {
      getsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'pointer'], return: 'i32' },
    });
    const getsockopt = functions.getsockopt as unknown as (...args: (number | bigint)[]) => number;
    // The buffers live as long as the process, so their addresses are asked for once.
    const [infoAt, lengthAt] = [ffi.getRawPointer(info), ffi.getRawPointer(length)];
    return (fd) => getsockopt(fd, protocolTcp, optionTcpInfo, infoAt, lengthAt);
  } catch {
    // A Node without ffi, or one whose permissions refuse it: the fields are optional, so they stay null.
    return null;
  }
}

/** Reads the kernel's figures; null where it has none, never 0. */
export function transportOf(socket: Socket): Transport {
  const fd = descriptorOf(socket);
  if (fillInfo === null || fd === null) return unmeasured;
  length.writeInt32LE(infoBytes);
  if (fillInfo(fd) !== 0) return unmeasured;
  const filled = length.readInt32LE();
  const rttMicroseconds = filled >= rttMicrosecondsAt + 4 ? info.readUInt32LE(rttMicrosecondsAt) : 0;
  const deliveryRate = filled >= deliveryRateAt + 8 ? Number(info.readBigUInt64LE(deliveryRateAt)) : 0;
  return {
    clientTcpRttMs: rttMicroseconds === 0 ? null : rttMicroseconds / 1000,
    clientQuicRttMs: null,
    deliveryRateBps: deliveryRate === 0 ? null : deliveryRate,
  };
}

/** Node has no public way to a socket's descriptor; where this one is gone the figures are null. */
function descriptorOf(socket: Socket): number | null {
  const fd = (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd;
  return fd === undefined || fd < 0 ? null : fd;
}
