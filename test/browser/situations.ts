/** Situations of visitors: their network, their resolver, their browser, and what the section "DNS and WebRTC" of the page must state there. */
import type { ConditionName } from './situations-conditions.ts';
import { gateway, type ResolverName, resolvers, visitor } from './situations-servers.ts';
import type { Shown } from './situations-visitor.ts';

/** What the page states. */
export interface Expected {
  /** The row of the first screen. */
  readonly row: string;
  /** Label, text and addresses of each finding. */
  readonly findings: readonly string[];
}

export const expectedOf = ({ row, findings }: Shown): Expected => ({
  row,
  findings: findings.map(([label, text, , addresses]) => `${label}: ${text}${addresses && ` [${addresses}]`}`),
});

export interface Situation extends Expected {
  readonly browser: 'chromium' | 'firefox';
  readonly versions: readonly (4 | 6)[];
  /** In the order of `resolv.conf`. */
  readonly resolvers: readonly ResolverName[];
  readonly condition?: ConditionName;
  readonly setting?: 'off' | 'hidden';
}

const access = 'Example Access (AS64501)';
const publicDns = 'Example Public DNS (AS64504)';
const encryptedDns = 'Example Encrypted DNS (AS64505)';

const provider = `Your provider: ${access}`;
const another = `Another provider: ${publicDns}`;
const encrypted = `Another provider: ${encryptedDns}`;
const two = `2 networks: your provider, ${access}; ${publicDns}`;
const silent = 'No query reached this service';
const hidden = 'Hidden by a gateway of this service';

const disclosed = 'Your network: Disclosed to sites: 25.1.0.0/24';
const disclosedOther = 'Your network: Disclosed to sites: 25.53.1.0/24';
const notDisclosed = 'Your network: Not disclosed to this site';
const signed = 'DNSSEC: The resolver requests signatures';
const unsigned = 'DNSSEC: The resolver does not request signatures';

const ofProvider = [`Resolver: ${provider} [${resolvers.provider.ipv4}]`, disclosed, unsigned];
/** Beside the provider's resolver, a forwarder of the provider. */
const ofForwarder = [`Resolver: ${provider} [${resolvers.provider.ipv4}]`, disclosedOther, unsigned];
const ofPublic = [`Resolver: ${another} [${resolvers.public.ipv6}]`, notDisclosed, signed];
const ofEncrypted = [`Resolver: ${encrypted} [${resolvers.encrypted.ipv4}]`, notDisclosed, signed];
const ofBoth = [
  `Resolver: ${provider} [${resolvers.provider.ipv4}]`,
  `Resolver: ${another} [${resolvers.public.ipv6}]`,
  disclosedOther,
  `DNSSEC: Signatures are requested by ${publicDns}, not by ${access}`,
];
const ofGateway = [`Resolver: ${hidden} [${gateway.ipv4}]`, disclosed, unsigned];
const ofNone = [`Resolver: ${silent}`];

const same = 'Shows the same address as the page';
const at4 = `[${visitor.ipv4}]`;
const at6 = `[${visitor.ipv6}]`;
const same4 = `WebRTC, IPv4: ${same} ${at4}`;
const same6 = `WebRTC, IPv6: ${same} ${at6}`;
const samePort = 'UDP ports: The same port for both destinations';
const otherPort = 'UDP ports: A different port for each destination';
const noResponse = 'WebRTC: No response over UDP';

export const situations: Readonly<Record<string, Situation>> = {
  'the resolver of the provider': {
    browser: 'chromium',
    versions: [4, 6],
    resolvers: ['provider'],
    row: provider,
    findings: [...ofProvider, same4, same6, samePort],
  },
  'IPv4 only': {
    browser: 'firefox',
    versions: [4],
    resolvers: ['provider'],
    row: provider,
    findings: [...ofProvider, same4, samePort],
  },
  'IPv6 only': {
    browser: 'chromium',
    versions: [6],
    resolvers: ['public'],
    row: another,
    findings: [...ofPublic, same6, samePort],
  },
  'IPv6 only, in Firefox': {
    browser: 'firefox',
    versions: [6],
    resolvers: ['public'],
    row: another,
    findings: [...ofPublic, same6, samePort],
  },
  'two resolvers': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['both'],
    row: two,
    findings: [...ofBoth, same4, same6, samePort],
  },
  'two resolvers, a NAT with changing ports': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['both'],
    condition: 'changingPorts',
    row: two,
    findings: [...ofBoth, same4, otherPort],
  },
  'a NAT with changing ports, in Firefox': {
    browser: 'firefox',
    versions: [4],
    resolvers: ['public'],
    condition: 'changingPorts',
    row: another,
    findings: [...ofPublic, same4, otherPort],
  },
  'encrypted DNS': {
    browser: 'chromium',
    versions: [4, 6],
    resolvers: ['encrypted'],
    row: encrypted,
    findings: [...ofEncrypted, same4, same6, samePort],
  },
  'encrypted DNS, UDP blocked': {
    browser: 'firefox',
    versions: [4],
    resolvers: ['encrypted'],
    condition: 'blocked',
    row: encrypted,
    findings: [...ofEncrypted, noResponse],
  },
  'UDP blocked': {
    browser: 'chromium',
    versions: [4, 6],
    resolvers: ['provider'],
    condition: 'blocked',
    row: provider,
    findings: [...ofProvider, noResponse],
  },
  'one port of two blocked': {
    browser: 'firefox',
    versions: [4],
    resolvers: ['provider'],
    condition: 'secondPortBlocked',
    row: provider,
    findings: [...ofProvider, same4, 'UDP ports: Not compared'],
  },
  'UDP blocked by the device': {
    browser: 'firefox',
    versions: [4],
    resolvers: ['provider'],
    condition: 'blockedByDevice',
    row: provider,
    findings: [...ofProvider, 'WebRTC: No STUN request sent'],
  },
  'the name of the STUN server blocked': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['filtering'],
    row: provider,
    findings: [...ofForwarder, 'WebRTC: No address of the STUN server found'],
  },
  'the name of the STUN server blocked, in Firefox': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['filtering'],
    row: provider,
    findings: [...ofForwarder, 'WebRTC: No STUN request sent'],
  },
  'a STUN server with IPv6 only': {
    browser: 'chromium',
    versions: [4, 6],
    resolvers: ['onlyIpv6'],
    row: provider,
    findings: [...ofForwarder, 'WebRTC, IPv4: Not tested', same6, samePort],
  },
  'a STUN server with IPv6 only, in Firefox': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['onlyIpv6'],
    row: provider,
    findings: [...ofForwarder, 'WebRTC, IPv4: Not tested', same6, samePort],
  },
  'a slow resolver': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['slow'],
    row: provider,
    findings: [...ofForwarder, same4, samePort],
  },
  'a slow resolver, in Firefox': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['slow'],
    row: provider,
    findings: [...ofForwarder, same4, same6, samePort],
  },
  'a resolver that is down': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['down'],
    row: silent,
    findings: [...ofNone, noResponse],
  },
  'a resolver that is down, in Firefox': {
    browser: 'firefox',
    versions: [6],
    resolvers: ['down'],
    row: silent,
    findings: [...ofNone, noResponse],
  },
  'the first of two resolvers down': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['down', 'provider'],
    row: provider,
    findings: [...ofProvider, same4, samePort],
  },
  'a gateway before the service': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['provider'],
    condition: 'gateway',
    row: hidden,
    findings: [...ofGateway, `WebRTC, IPv4: Shows a private address [${gateway.ipv4}]`, samePort],
  },
  'a gateway before the service, in Firefox': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['provider'],
    condition: 'gateway',
    row: hidden,
    findings: [
      ...ofGateway,
      `WebRTC, IPv4: Shows a private address [${gateway.ipv4}]`,
      `WebRTC, IPv6: Shows a private address [${gateway.ipv6}]`,
      samePort,
    ],
  },
  'a VPN for web pages only': {
    browser: 'chromium',
    versions: [4],
    resolvers: ['provider'],
    condition: 'tunnel',
    row: `Another provider: ${access}`,
    findings: [
      `Resolver: Another provider: ${access} [${resolvers.provider.ipv4}]`,
      disclosed,
      unsigned,
      `WebRTC, IPv4: Shows a different address than the page ${at4}`,
      samePort,
    ],
  },
  'a browser that hides addresses': {
    browser: 'chromium',
    versions: [4, 6],
    resolvers: ['provider'],
    setting: 'hidden',
    row: provider,
    findings: [...ofProvider, 'WebRTC: Shows no address'],
  },
  'a browser without WebRTC': {
    browser: 'firefox',
    versions: [4, 6],
    resolvers: ['provider'],
    setting: 'off',
    row: provider,
    findings: [...ofProvider, 'WebRTC: Not available'],
  },
};
