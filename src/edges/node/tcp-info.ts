/** RTT and delivery rate of a TCP connection, from the kernel (Linux TCP_INFO). */
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import { type Transport, unobserved } from '../../core/observed.ts';
import { createTcpOptionReader } from '../../native/tcp.ts';

// struct tcp_info of include/uapi/linux/tcp.h, up to the last value in use; an older kernel returns fewer bytes.
const rttMicrosecondsAt = 68;
const deliveryRateAt = 160;
const infoBytes = deliveryRateAt + 8;
const optionTcpInfo = 11;

const tcpInfo = createTcpOptionReader(optionTcpInfo, infoBytes);
/** Cheaper to read from than a Buffer. */
const values = new DataView(tcpInfo.bytes.buffer, tcpInfo.bytes.byteOffset, infoBytes);
const isLittleEndian = endianness() === 'LE';

/** Reads the kernel's measurements; null if not measured, never 0. */
export function measureTcp(socket: Socket): Transport {
  const length = tcpInfo.read(socket);
  if (length < rttMicrosecondsAt + 4) return unobserved.transport;
  const rttMicroseconds = values.getUint32(rttMicrosecondsAt, isLittleEndian);
  const deliveryRate =
    length < infoBytes
      ? 0
      : values.getUint32(deliveryRateAt, isLittleEndian) +
        values.getUint32(deliveryRateAt + 4, isLittleEndian) * 2 ** 32;
  return {
    clientTcpRttMs: rttMicroseconds === 0 ? null : rttMicroseconds / 1000,
    clientQuicRttMs: null,
    deliveryRateBps: deliveryRate === 0 ? null : deliveryRate,
  };
}
