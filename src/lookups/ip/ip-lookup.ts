/** Looks up any public IP address: location, ISP, ASN and host name. */
import type * as z from 'zod';
import {
  formatAddress,
  isPublicAddress,
  type Address as ParsedAddress,
  parseAddress,
  unmapped,
  withoutBrackets,
} from '../../core/address.ts';
import { ServiceError } from '../../core/errors.ts';
import { fieldOf, textField } from '../../core/field.ts';
import type { Platform } from '../../core/platform.ts';
import { Address, address } from '../../resources/connection.ts';
import { Geo, geo } from '../../resources/geo.ts';
import { confirmedHost } from '../dns/dns-lookup.ts';

export const IpLookup = Geo.extend({
  ip: fieldOf(Address.shape.ip.unwrap())('IP address', 'Requested IP address'),
  ipVersion: fieldOf(Address.shape.ipVersion.unwrap())('IP version', '4 or 6'),
  hostname: textField(
    'Host name',
    'Host name by reverse DNS; null if there is none, it does not resolve to the IP address, or DNS fails',
  ),
}).meta({ id: 'IpLookup', description: 'Location, ISP, ASN and host name of an IP address' });
export type IpLookup = z.infer<typeof IpLookup>;

/** Throws `invalid_query`, `blocked_address`, or `no_database` if the platform has no IP databases. */
export async function ipLookup(q: string, platform: Platform, userAgent: string): Promise<IpLookup> {
  const requested = unmapped(parseRequested(q));
  const ip = formatAddress(requested);
  if (!isPublicAddress(requested)) {
    const message = `${ip} is a private or reserved address; only public addresses have location data.`;
    throw new ServiceError('blocked_address', message);
  }
  const { addressData } = platform;
  if (addressData === null) throw new ServiceError('no_database');
  const hostname = await confirmedHost(ip, platform, userAgent).catch((error) => {
    if (error instanceof ServiceError) return null;
    throw error;
  });
  const location = addressData.locate(ip);
  const autonomousSystem = addressData.autonomousSystem(ip);
  const { ipVersion } = address({ ip });
  return { ...geo({ ip, location, autonomousSystem, colo: null }), ip, ipVersion: ipVersion ?? 4, hostname };
}

/** Throws `invalid_query`. */
export function parseRequested(q: string): ParsedAddress {
  const address = parseAddress(withoutBrackets(q.trim()));
  if (address !== null) return address;
  throw new ServiceError('invalid_query', 'This is not an IP address; send one, such as 8.8.8.8.');
}
