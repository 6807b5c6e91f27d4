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
 * ClientHello names none. `hello` is its body (RFC 8446 §4.1.2). Makes no objects: it runs once in each connection, with cold caches.
 */
export function handshakeCost(hello: Buffer): number {
  const { length } = hello;
  const uint16 = (at: number): number => ((hello[at] ?? 0) << 8) | (hello[at + 1] ?? 0);
  let offeredCost = Number.POSITIVE_INFINITY;
  let supportedCost = Number.POSITIVE_INFINITY;
  // Version and random, then session id, cipher suites and compression methods with their lengths. What is cut off, the TLS library rejects.
  let at = 34;
  at += 1 + (hello[at] ?? 0);
  at += 2 + uint16(at);
  at += 1 + (hello[at] ?? 0);
  for (at += 2; at + 4 <= length; ) {
    const id = uint16(at);
    const end = at + 4 + uint16(at + 2);
    const last = Math.min(end, length);
    // RFC 8446 §4.2.8 and §4.2.7: after the length of the list, groups with their keys, and groups.
    if (id === keyShare)
      for (let share = at + 6; share + 4 <= last; share += 4 + uint16(share + 2))
        offeredCost = Math.min(offeredCost, groupCosts.get(uint16(share)) ?? offeredCost);
    else if (id === supportedGroups)
      for (let group = at + 6; group + 2 <= last; group += 2)
        supportedCost = Math.min(supportedCost, groupCosts.get(uint16(group)) ?? supportedCost);
    at = end;
  }
  const cost = Number.isFinite(offeredCost) ? offeredCost : supportedCost;
  return Number.isFinite(cost) ? cost : 1;
}
