/** RTT and delivery rate of a TCP connection, from the kernel (Linux TCP_INFO). */
import type { Socket } from 'node:net';
import { type Transport, unobserved } from '../../../core/observed.ts';
import { createTcpOptionReader } from './tcp-options.ts';

// struct tcp_info of include/uapi/linux/tcp.h; an older kernel returns fewer bytes.
const infoBytes = 232;
const rttMicrosecondsAt = 68;
const deliveryRateAt = 160;
const optionTcpInfo = 11;

const readInfo = createTcpOptionReader(optionTcpInfo, infoBytes);

/** Reads the kernel's measurements; null if not measured, never 0. */
export function transportOf(socket: Socket): Transport {
  const info = readInfo(socket);
  if (info === null) return unobserved.transport;
  const rttMicroseconds = info.length >= rttMicrosecondsAt + 4 ? info.readUInt32LE(rttMicrosecondsAt) : 0;
  const deliveryRate = info.length >= deliveryRateAt + 8 ? Number(info.readBigUInt64LE(deliveryRateAt)) : 0;
  return {
    clientTcpRttMs: rttMicroseconds === 0 ? null : rttMicroseconds / 1000,
    clientQuicRttMs: null,
    deliveryRateBps: deliveryRate === 0 ? null : deliveryRate,
  };
}
