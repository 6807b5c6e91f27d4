/** The first packet of a TCP connection, saved by the kernel (Linux TCP_SAVE_SYN and TCP_SAVED_SYN of include/uapi/linux/tcp.h). */
import type { Server, Socket } from 'node:net';
import { createTcpOptionReader, protocolTcp, setSocketOption } from './tcp-options.ts';

const optionSaveSyn = 27;
const optionSavedSyn = 28;
/** Twice the size of IPv6 and TCP headers with all options. */
const maxSynBytes = 256;

const savedSyn = createTcpOptionReader(optionSavedSyn, maxSynBytes);

/** Makes the kernel store the headers of each SYN, 40 to 120 bytes for each connection, until they are read or it closes. */
export function saveSyns(server: Server): void {
  setSocketOption(server, { level: protocolTcp, option: optionSaveSyn }, 1);
}

/** Returns IP and TCP headers; null if none were saved, as with SYN cookies. The kernel returns them only once. */
export function takeSyn(socket: Socket): Uint8Array | null {
  const length = savedSyn.read(socket);
  return length === 0 ? null : new Uint8Array(savedSyn.bytes.subarray(0, length));
}
