/** The members of `network` by the list of the start page that shows them. */
import type { Network } from '../../../resources/connection.ts';

/** `address`: at the IP address. `measurement`: at the connection. `service`: at the service. The compiler requires each member. */
const lists: Readonly<Record<keyof Network, 'address' | 'measurement' | 'service'>> = {
  asn: 'address',
  asOrganization: 'address',
  colo: 'service',
  clientTcpRttMs: 'measurement',
  clientQuicRttMs: 'measurement',
  deliveryRateBps: 'measurement',
};

/** The members that one list shows, in their order. */
export function networkMembersOf(network: Network, list: (typeof lists)[keyof Network]): Partial<Network> {
  return Object.fromEntries(
    Object.entries(network).filter(([name]) => lists[name as keyof Network] === list),
  ) as Partial<Network>;
}
