/** What lies between a visitor and the service: rules of nftables by condition. */
import { gateway, service, tunnel } from './situations-servers.ts';

/** Rules of nftables, in the namespace of the service or of the visitor. */
interface Condition {
  readonly at: 'service' | 'visitor';
  readonly chains: string;
}

const stunPorts = 'udp dport { 3478, 3479 }';

export const conditions = {
  blocked: { at: 'service', chains: `chain in { type filter hook input priority 0; ${stunPorts} drop; }` },
  secondPortBlocked: { at: 'service', chains: 'chain in { type filter hook input priority 0; udp dport 3479 drop; }' },
  blockedByDevice: { at: 'visitor', chains: `chain out { type filter hook output priority 0; ${stunPorts} drop; }` },
  /** A NAT that takes another port for each destination. */
  changingPorts: {
    at: 'visitor',
    chains: `chain out { type nat hook postrouting priority 100; ${stunPorts} masquerade to :20000-60000 fully-random; }`,
  },
  /** A VPN for web pages only. */
  tunnel: {
    at: 'visitor',
    chains: `chain out { type nat hook postrouting priority 100; tcp dport 80 snat ip to ${tunnel}; }`,
  },
  /** Before the service, for UDP, as a container engine has one. */
  gateway: {
    at: 'service',
    chains: `
      chain out {
        type nat hook postrouting priority 100;
        ip daddr ${service.ipv4} udp dport 53 snat ip to ${gateway.ipv4};
        ip6 daddr ${service.ipv6} udp dport 53 snat ip6 to ${gateway.ipv6};
      }
      chain in {
        type nat hook input priority 100;
        ip daddr ${service.ipv4} ${stunPorts} snat ip to ${gateway.ipv4};
        ip6 daddr ${service.ipv6} ${stunPorts} snat ip6 to ${gateway.ipv6};
      }`,
  },
} satisfies Readonly<Record<string, Condition>>;
export type ConditionName = keyof typeof conditions;
