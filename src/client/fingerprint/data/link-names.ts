/** Kinds of links by the largest IP packet (MTU) that they carry. Last updated: 2026-11-23 */

const tunnel = 'tunnel or VPN';

/**
 * Only values that stand for one kind. Left out: 1280, the least that IPv6 permits (RFC 8200 §5), which mobile networks and several VPNs
 * use; 1380 to 1400 and 1460, which belong to VPNs, mobile networks and clouds; 576.
 */
export const linkNames: ReadonlyMap<number, string> = new Map([
  // RFC 894.
  [1500, 'Ethernet'],
  // RFC 2516 §7.
  [1492, 'PPPoE'],
  // IPv4 or IPv6 in IPv4 takes 20 bytes: RFC 2003 §3.1, RFC 4213 §3.2.
  [1480, tunnel],
  // GRE in IPv4 takes 24 bytes: RFC 2784 §2.
  [1476, tunnel],
  // VXLAN takes 50 bytes: RFC 7348 §5.
  [1450, tunnel],
  // WireGuard takes 60 bytes over IPv4 and 80 over IPv6, which wg-quick(8) assumes, also over PPPoE: https://www.wireguard.com/protocol/
  [1440, tunnel],
  [1420, tunnel],
  [1412, tunnel],
]);
