/** Describes which addresses WebRTC shows to other peers, compared with those of the page's requests. Pure. */

import {
  type Address,
  formatAddress,
  isLocalAddress,
  isPublicAddress,
  parseAddress,
  withoutBrackets,
} from '../core/address.ts';
import { clientNetworkOf } from '../wire/client-network.ts';
import type { Finding } from './finding.ts';

/** An address that WebRTC offers to peers (RFC 8445 §5.1.1). */
export interface Candidate {
  /** `host`: of an interface of this device. `srflx`: as the STUN server saw it. */
  readonly type: 'host' | 'srflx';
  /** Null if the browser hides it behind a name such as `….local`. */
  readonly ip: string | null;
  readonly port: number;
}

/** What one connection gathered. */
export interface Gathering {
  readonly candidates: readonly Candidate[];
  /** Whether the browser ended it. Otherwise, a response was missing when the test ended. */
  readonly isComplete: boolean;
  /**
   * Why no request was sent to some address of the STUN server. `lookup`: the browser found no address, of one IP version or of both.
   * `unstated`: it does not state whether it found none, or could not send to it, as Firefox. Null if there was no failure.
   */
  readonly failure: 'lookup' | 'unstated' | null;
}

export interface WebRtcTest {
  /** With all ports of the STUN server. */
  readonly all: Gathering;
  /** With each port alone, if there are two: only this shows whether both respond. */
  readonly single: readonly Gathering[];
}

interface Comparison {
  /** The addresses of the page's requests, at most one for each version. */
  readonly own: readonly string[];
  /** Host name or IP address of the STUN server. */
  readonly host: string;
}

type IpVersion = 4 | 6;
type Shown = Candidate & { readonly ip: string };

/**
 * Reads a candidate from its text (RFC 8839 §5.1); null if it is none of UDP, or of another type. Its member `address` differs between
 * browsers: in Chromium, an IPv6 address has brackets.
 */
export function readCandidate(text: string): Candidate | null {
  const [, , transport = '', , address = '', port = '', , type] = text.split(' ');
  if (transport.toLowerCase() !== 'udp' || (type !== 'host' && type !== 'srflx')) return null;
  const parsed = parseAddress(withoutBrackets(address));
  return { type, ip: parsed && formatAddress(parsed), port: Number(port) };
}

const isKind = (ip: string, is: (address: Address) => boolean): boolean => {
  const address = parseAddress(ip);
  return address !== null && is(address);
};
const isPublic = (ip: string): boolean => isKind(ip, isPublicAddress);
const isLocal = (ip: string): boolean => isKind(ip, isLocalAddress);

const versionOf = (ip: string): IpVersion => (ip.includes(':') ? 6 : 4);
const shownIn = ({ candidates }: Gathering): readonly Shown[] =>
  candidates.filter((each): each is Shown => each.ip !== null);
const mappedIn = (gathering: Gathering): readonly Shown[] => shownIn(gathering).filter(({ type }) => type === 'srflx');

const label = 'WebRTC';
const labelOf = (version: IpVersion): string => `${label}, IPv${version}`;

/** `test`: null if the browser has no WebRTC. */
export function describeWebRtc(test: WebRtcTest | null, comparison: Comparison): readonly Finding[] {
  if (test === null)
    return [
      {
        label,
        text: 'Not available',
        detail: 'This browser has no WebRTC, or a setting or an extension turned it off.',
      },
    ];
  const shown = shownIn(test.all);
  const mapped = mappedIn(test.all);
  const findings = ([4, 6] as const).flatMap((version) => {
    const ofVersion = shown.filter(({ ip }) => versionOf(ip) === version);
    if (ofVersion.length > 0) return [describeFamily(version, ofVersion, comparison.own)];
    const isMissing = mapped.length > 0 && comparison.own.some((ip) => versionOf(ip) === version);
    return isMissing ? [describeMissing(version, test.all, comparison.host)] : [];
  });
  // Without NAT, the server sees the address of the interface, and browsers omit the second candidate (RFC 8445 §5.1.3).
  if (mapped.length === 0 && !shown.some(({ ip }) => isPublic(ip)))
    findings.push(describeNothing(test.all, comparison.host));
  const mapping = describeMapping(test);
  return mapping === null ? findings : [...findings, mapping];
}

function describeFamily(version: IpVersion, candidates: readonly Shown[], own: readonly string[]): Finding {
  const known = own.find((ip) => versionOf(ip) === version);
  const addresses = [...new Set(candidates.map(({ ip }) => ip))];
  const finding = (text: string, detail: string, about = addresses): Finding => ({
    label: labelOf(version),
    text,
    detail,
    addresses: about,
  });
  if (known === undefined)
    // Its request may have been limited, or failed.
    return finding('Shows an address that cannot be compared', `This page does not know your IPv${version} address.`);
  const others = addresses.filter((ip) => clientNetworkOf(ip) !== clientNetworkOf(known));
  if (others.length === 0)
    return addresses.includes(known)
      ? finding('Shows the same address as the page', '')
      : finding('Shows another address of the same network', 'Devices have several IPv6 addresses in one /64.');
  const isOfDevice = others.every((ip) => candidates.every((each) => each.ip !== ip || each.type === 'host'));
  if (isOfDevice)
    return finding('Shows an address of this device', 'It belongs to one of its network interfaces.', others);
  if (isPublic(known) && others.every(isLocal))
    return finding(
      'Shows a private address',
      `The STUN server saw it, but the page shows ${known}. Usual reasons: a gateway in front of this service that replaces the addresses of visitors, or a STUN server in your own network.`,
      others,
    );
  return finding(
    'Shows a different address than the page',
    `The page shows ${known}. Usual reasons: a VPN or proxy for web pages only, or a provider with several addresses.`,
    others,
  );
}

/** Whether a STUN server given by its address has another IP version. */
const isOfOther = (version: IpVersion, host: string): boolean =>
  parseAddress(host) !== null && versionOf(host) !== version;

/** The page was requested over this version, and WebRTC shows an address of the other one. */
function describeMissing(version: IpVersion, { failure }: Gathering, host: string): Finding {
  const finding = (text: string, detail: string): Finding => ({ label: labelOf(version), text, detail });
  if (isOfOther(version, host)) return finding('Not tested', `The STUN server has no IPv${version} address.`);
  if (failure !== null)
    return finding(
      'Not tested',
      failure === 'lookup'
        ? `This browser found no IPv${version} address of ${host}.`
        : `This browser found no IPv${version} address of ${host}, or could not send to it.`,
    );
  return finding(
    'No response over UDP',
    `Usual reasons: a network, firewall or extension that blocks UDP over IPv${version}, or a STUN server that does not respond over it.`,
  );
}

/** Chromium without IPv6 always finds no IPv6 address of the server: only if gathering has ended, it found no other address either. */
function describeNothing({ candidates, isComplete, failure }: Gathering, host: string): Finding {
  const finding = (text: string, detail: string): Finding => ({ label, text, detail });
  const isNamed = parseAddress(host) === null;
  if (isComplete && failure !== null) {
    const reasons = isNamed
      ? `a resolver or an extension that blocks the name, a proxy that resolves the names of pages, or a server without an address of your IP version`
      : `a network without IPv${versionOf(host)}`;
    return failure === 'lookup'
      ? finding('No address of the STUN server found', `This browser looked up ${host}. Usual reasons: ${reasons}.`)
      : finding(
          'No STUN request sent',
          `This browser could not send one to ${host}. Usual reasons: a firewall of this device that blocks UDP, ${reasons}.`,
        );
  }
  if (isComplete && candidates.length === 0)
    return finding('Shows no address', 'Usual reasons: a setting or an extension that hides addresses from WebRTC.');
  return finding(
    'No response over UDP',
    `Usual reasons: a network, firewall or extension that blocks UDP, a STUN server that does not respond${isNamed ? `, or a resolver that does not respond for ${host}` : ''}.`,
  );
}

/** The mapping of this device's UDP ports in words, also for the terminal. */
export const udpPorts = {
  label: 'UDP ports',
  different: 'A different port for each destination',
  same: 'The same port for both destinations',
  notCompared: 'Not compared',
  /** Reasons why they are not compared. */
  severalAddresses: 'the STUN server saw several of your IP addresses',
  oneResponse: 'only one of the two ports of the STUN server responded',
};

/**
 * Describes the mapping that both destinations showed; null if there is only one, or no response. A candidate stands for all destinations
 * that saw the same address and port, and not every browser states its destination.
 */
function describeMapping({ all, single }: WebRtcTest): Finding | null {
  const mapped = mappedIn(all);
  if (single.length < 2 || mapped.length === 0) return null;
  const finding = (text: string, detail: string): Finding => ({ label: udpPorts.label, text, detail });
  const notCompared = (reason: string): Finding =>
    finding(udpPorts.notCompared, `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
  const byVersion = Object.values(Object.groupBy(mapped, ({ ip }) => versionOf(ip))).map((each = []) => each);
  if (byVersion.some((each) => new Set(each.map(({ ip }) => ip)).size > 1))
    return notCompared(udpPorts.severalAddresses);
  if (byVersion.some((each) => new Set(each.map(({ port }) => port)).size > 1))
    return finding(udpPorts.different, 'Direct connections between peers, as in calls and games, are harder.');
  const isCompared = byVersion.some(([first]) =>
    single.every((each) => mappedIn(each).some(({ ip }) => first && versionOf(ip) === versionOf(first.ip))),
  );
  return isCompared
    ? finding(udpPorts.same, 'Direct connections between peers, as in calls and games, usually require this.')
    : notCompared(udpPorts.oneResponse);
}
