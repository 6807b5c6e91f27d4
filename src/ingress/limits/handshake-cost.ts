/** Cost of a TLS handshake for the server, by the group of its key exchange. */

/**
 * Costs of groups in handshakes with X25519, measured on 2026-11-21 with OpenSSL 3.5 (numbers: IANA "TLS Supported Groups"). P-256 and
 * X25519MLKEM768 cost about as much as X25519.
 */
const groupCosts: ReadonlyMap<number, number> = new Map([
  [0x001d, 1],
  [0x0017, 1],
  [0x11ec, 1],
  // P-384 and P-521.
  [0x0018, 5],
  [0x0019, 9],
  // ffdhe2048 to ffdhe8192; of the last three, at least so much.
  [0x0100, 2],
  [0x0101, 4],
  [0x0102, 8],
  [0x0103, 16],
  [0x0104, 32],
]);

const supportedGroups = 10;
const keyShare = 51;

/**
 * Returns the least cost of the groups for which a client has sent a share, else of those it supports, in handshakes with X25519; 1 if the
 * ClientHello names none. `hello` is its body (RFC 8446 §4.1.2).
 */
export function handshakeCost(hello: Buffer): number {
  try {
    const extensions = extensionsOf(hello);
    const shared = leastCost(keyShareGroups(extensions.get(keyShare)));
    return shared ?? leastCost(groupList(extensions.get(supportedGroups))) ?? 1;
  } catch (error) {
    // Cut off; the TLS library rejects it.
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

function leastCost(groups: readonly number[]): number | null {
  const costs = groups.flatMap((group) => groupCosts.get(group) ?? []);
  return costs.length === 0 ? null : Math.min(...costs);
}

function extensionsOf(hello: Buffer): ReadonlyMap<number, Buffer> {
  const extensions = new Map<number, Buffer>();
  // Version and random, then session id, cipher suites and compression methods with their lengths.
  let at = 34;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  for (at += 2; at + 4 <= hello.length; ) {
    const length = hello.readUInt16BE(at + 2);
    extensions.set(hello.readUInt16BE(at), hello.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return extensions;
}

/** RFC 8446 §4.2.7. */
function groupList(content: Buffer | undefined): number[] {
  const groups: number[] = [];
  for (let at = 2; content !== undefined && at + 2 <= content.length; at += 2) groups.push(content.readUInt16BE(at));
  return groups;
}

/** RFC 8446 §4.2.8. */
function keyShareGroups(content: Buffer | undefined): number[] {
  const groups: number[] = [];
  for (let at = 2; content !== undefined && at + 4 <= content.length; at += 4 + content.readUInt16BE(at + 2))
    groups.push(content.readUInt16BE(at));
  return groups;
}
