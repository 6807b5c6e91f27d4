/**
 * Whether the kernel delivers an address to this machine: also one on the loopback interface (anycast, failover, direct server return) and
 * one inside a block that is routed as local (AnyIP), which no interface lists.
 *
 * Relies on rtnetlink(7) by socket(2), sendto(2), recv(2) and close(2) of Linux through `node:ffi` (checked with Node 26.10). Without
 * them, or where a sandbox forbids netlink, the result is null.
 */
import { loadFunctions } from './ffi.ts';

// Constants of include/uapi/linux/netlink.h and rtnetlink.h, and of socket(2).
const netlinkFamily = 16;
const rawCloseOnExec = 0o2000003;
const routeProtocol = 0;
const dontWait = 0x40;
const headerBytes = 16;
const routeBytes = 12;
const getRoute = 26;
const newRoute = 24;
const requestFlag = 1;
const destinationAttribute = 1;
const localType = 2;
/** RTM_F_FIB_MATCH: the response is the entry of the table, with its prefix length, not the route of the one address. */
const fibMatch = 0x2000;

const families = { 4: { family: 2, bytes: 4 }, 6: { family: 10, bytes: 16 } } as const;

const calls = await loadFunctions({
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  sendto: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'u32'], return: 'i64' },
  recv: { arguments: ['i32', 'pointer', 'u64', 'i32'], return: 'i64' },
  close: { arguments: ['i32'], return: 'i32' },
});

/** Longer than an entry of the table; the rest of the response is not needed. */
const response = new Uint8Array(512);
/** Without an address, the message goes to the kernel. */
const kernel = new Uint8Array(12);
new Uint16Array(kernel.buffer)[0] = netlinkFamily;

/**
 * Null if the kernel cannot be asked. A route that makes every address local, as transparent proxies have, says nothing about one of them:
 * false.
 */
export function hasLocalRoute({ version, bits }: { readonly version: 4 | 6; readonly bits: bigint }): boolean | null {
  if (calls === null) return null;
  const { socket, sendto, recv, close } = calls;
  const fd = socket(netlinkFamily, rawCloseOnExec, routeProtocol);
  if (fd < 0) return null;
  try {
    const message = requestOf(version, bits);
    if (sendto(fd, message, BigInt(message.length), 0, kernel, kernel.length) < 0) return null;
    // The kernel has responded before sendto returns.
    if (recv(fd, response, BigInt(response.length), dontWait) < headerBytes + routeBytes) return null;
    const isRoute = new Uint16Array(response.buffer, 4, 1)[0] === newRoute;
    const prefixLength = response[headerBytes + 1];
    return isRoute && prefixLength !== 0 && response[headerBytes + 7] === localType;
  } finally {
    close(fd);
  }
}

/** A `nlmsghdr`, a `rtmsg` and one attribute, in the byte order of the machine. */
function requestOf(version: 4 | 6, bits: bigint): Uint8Array {
  const { family, bytes } = families[version];
  const message = new Uint8Array(headerBytes + routeBytes + 4 + bytes);
  const { buffer } = message;
  new Uint32Array(buffer)[0] = message.length;
  new Uint16Array(buffer).set([getRoute, requestFlag], 2);
  message[headerBytes] = family;
  message[headerBytes + 1] = bytes * 8;
  new Uint32Array(buffer)[(headerBytes + 8) / 4] = fibMatch;
  new Uint16Array(buffer).set([4 + bytes, destinationAttribute], (headerBytes + routeBytes) / 2);
  const destination = message.subarray(-bytes);
  for (let at = 0; at < bytes; at += 1) destination[at] = Number((bits >> BigInt(8 * (bytes - 1 - at))) & 0xffn);
  return message;
}
