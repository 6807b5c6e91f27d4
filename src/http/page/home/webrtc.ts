/** Describes which addresses WebRTC shows to other peers, compared with those of the page's requests. Pure. */
import { clientNetworkOf, isPublicAddress, parseAddress } from '../../../core/address.ts';
import type { Finding } from './finding.ts';

/** A UDP address that a candidate of ICE names (RFC 8445 §5.1.1). */
export interface Candidate {
  /** `host`: of an interface of this device. `srflx`: as the STUN server saw it. */
  readonly type: 'host' | 'srflx';
  /** Never a name such as `….local`, which hides an address. */
  readonly ip: string;
  readonly port: number;
}

export interface Gathering {
  readonly candidates: readonly Candidate[];
  /** Whether the browser completed it in the time of the test, and no port of the server failed more often than the other. */
  readonly isComplete: boolean;
  /** Whether it gathered anything, hidden addresses included. */
  readonly hasAny: boolean;
}

type IpVersion = 4 | 6;

function isPublic(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isPublicAddress(address);
}

const versionOf = (ip: string): IpVersion => (ip.includes(':') ? 6 : 4);

/** `own`: the addresses of the page's requests, at most one for each version. `hasTwoPorts`: the STUN server has two destinations. */
export function describeWebRtc(
  gathering: Gathering | null,
  { own, hasTwoPorts }: { readonly own: readonly string[]; readonly hasTwoPorts: boolean },
): readonly Finding[] {
  const label = 'WebRTC';
  if (gathering === null)
    return [
      {
        label,
        text: 'Not available',
        detail: 'This browser has no WebRTC, or a setting or an extension turned it off.',
      },
    ];
  const { candidates, isComplete, hasAny } = gathering;
  const mapped = candidates.filter(({ type }) => type === 'srflx');
  const findings = ([4, 6] as const).flatMap((version) => {
    const ofVersion = candidates.filter(({ ip }) => versionOf(ip) === version);
    return ofVersion.length === 0 ? [] : [describeFamily(version, ofVersion, own)];
  });
  // Without NAT, the server sees the address of the interface, and browsers omit the second candidate (RFC 8445 §5.1.3).
  if (mapped.length === 0 && !candidates.some(({ ip }) => isPublic(ip)))
    findings.push({
      label,
      text: hasAny ? 'No response over UDP' : 'Shows no address',
      detail: hasAny
        ? 'Usual reasons: a network, firewall or extension that blocks UDP.'
        : 'Usual reasons: a setting or an extension that hides addresses from WebRTC.',
    });
  const mapping = isComplete && hasTwoPorts ? describeMapping(mapped) : null;
  return mapping === null ? findings : [...findings, mapping];
}

function describeFamily(version: IpVersion, candidates: readonly Candidate[], own: readonly string[]): Finding {
  const known = own.find((ip) => versionOf(ip) === version);
  const addresses = [...new Set(candidates.map(({ ip }) => ip))];
  const label = `WebRTC, IPv${version}`;
  if (known === undefined)
    return {
      label,
      text: 'Shows an address that cannot be compared',
      // Its request may have been limited, or failed.
      detail: `This page does not know your IPv${version} address.`,
      addresses,
    };
  const others = addresses.filter((ip) => clientNetworkOf(ip) !== clientNetworkOf(known));
  if (others.length === 0)
    return {
      label,
      text: addresses.includes(known)
        ? 'Shows the same address as the page'
        : 'Shows another address of the same network',
      detail: addresses.includes(known) ? '' : 'Devices have several IPv6 addresses in one /64.',
      addresses,
    };
  const isOfDevice = others.every((ip) => candidates.every((each) => each.ip !== ip || each.type === 'host'));
  return {
    label,
    text: isOfDevice ? 'Shows an address of this device' : 'Shows a different address than the page',
    detail: isOfDevice
      ? 'It belongs to one of its network interfaces.'
      : `The page shows ${known}. Usual reasons: a VPN or proxy for web pages only, or a provider with several addresses.`,
    addresses: others,
  };
}

/** Describes the mapping that both destinations showed; null if it is not clear. */
function describeMapping(mapped: readonly Candidate[]): Finding | null {
  const byVersion = Object.values(Object.groupBy(mapped, ({ ip }) => versionOf(ip)));
  // Candidates do not state their destination.
  const isClear = byVersion.every((each = []) => new Set(each.map(({ ip }) => ip)).size === 1);
  if (byVersion.length === 0 || !isClear) return null;
  const isChanging = byVersion.some((each = []) => new Set(each.map(({ port }) => port)).size > 1);
  return {
    label: 'UDP ports',
    text: isChanging ? 'A different port for each destination' : 'The same port for both destinations',
    detail: isChanging
      ? 'Direct connections between peers, as in calls and games, are harder.'
      : 'Direct connections between peers, as in calls and games, usually require this.',
  };
}
