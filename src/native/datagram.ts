/**
 * Sends datagrams to a Unix socket, which Node has no API for. Relies on socket(2), setsockopt(2), sendto(2) and close(2) of Linux
 * through `node:ffi` (checked with Node 26.10). Without them, the service manager receives no notifications.
 */
import { loadFunctions } from './ffi.ts';

// Constants of Linux, the same on every architecture that Node runs on.
const unixFamily = 1;
const datagramCloseOnExec = 0o2000002;
const socketLevel = 1;
const sendTimeoutOption = 21;
const noSignal = 0x4000;
const maxPathBytes = 107;
/** A receiver that does not read must not block the event loop for longer. */
const sendTimeoutSeconds = 1n;

/**
 * Returns a function that sends one message and returns whether it was received. `path` is that of a file, or a name in the abstract
 * namespace if it starts with @. Null if this Node or the path does not permit it.
 */
export async function createDatagramSender(path: string): Promise<((message: string) => boolean) | null> {
  const address = addressOf(path);
  const calls = await loadFunctions({
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
    sendto: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'u32'], return: 'i64' },
    close: { arguments: ['i32'], return: 'i32' },
  });
  if (address === null || calls === null) return null;
  const { socket, setsockopt, sendto, close } = calls;
  const timeout = Buffer.alloc(16);
  timeout.writeBigInt64LE(sendTimeoutSeconds);
  return (message) => {
    const bytes = Buffer.from(message);
    const fd = socket(unixFamily, datagramCloseOnExec, 0);
    if (fd < 0) return false;
    setsockopt(fd, socketLevel, sendTimeoutOption, timeout, timeout.length);
    const sent = sendto(fd, bytes, BigInt(bytes.length), noSignal, address, address.length);
    close(fd);
    return Number(sent) === bytes.length;
  };
}

/** Bytes of `struct sockaddr_un`; null if the path is invalid. */
function addressOf(path: string): Buffer | null {
  if (!/^[/@]/.test(path) || Buffer.byteLength(path) > maxPathBytes) return null;
  const name = path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(unixFamily);
  return Buffer.concat([family, Buffer.from(name)]);
}
