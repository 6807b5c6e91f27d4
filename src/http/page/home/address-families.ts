/** Describes what the page learned about a client's IPv4 and IPv6 addresses. Pure, for the server and for the browser script. */
import { joinKnown } from '../../../core/text.ts';
import { isOfOneOrganization, type Network } from '../../../probes/organization.ts';
import type { Geo } from '../../../resources/geo.ts';
import { shortPlace } from '../../../resources/place.ts';

export type IpVersion = 4 | 6;

/** The page's own request, and where to send the others. */
export interface OwnAddress {
  readonly ip: string;
  readonly ipVersion: IpVersion;
  readonly network: Network;
  readonly place: string | null;
  /** Origins of this service that are reachable only over one IP version; null if not set. */
  readonly origins: Readonly<Record<IpVersion, string | null>>;
}

/** The members of `/geo` that are shown. */
export type FamilyGeo = Pick<Geo, 'ip' | 'asn' | 'asOrganization' | 'city' | 'countryName'>;

/** `limited`: status 429. `failed`: another error, or a response that is not JSON. `unreachable`: no response. */
export type FamilyResponse = FamilyGeo | 'unreachable' | 'limited' | 'failed';

const versionOf = (ip: string): IpVersion => (ip.includes(':') ? 6 : 4);

export const otherVersion = (version: IpVersion): IpVersion => (version === 4 ? 6 : 4);

/** The address of the version that the page itself did not use, one sentence about this version, and what follows from both. */
interface OtherFamily {
  /** Null if it is not known. */
  readonly ip: string | null;
  readonly verdict: string;
  readonly detail: string;
}

type Responses = Readonly<Record<IpVersion, FamilyResponse | null>>;

/**
 * States only what is known. A browser reports a blocked host, a rejected certificate, a refused connection and a missing route alike,
 * so that a missing response does not prove that a version does not work. The request over the page's own version shows whether such requests
 * succeed at all.
 */
export function describeOtherFamily(own: OwnAddress, pageOrigin: string, responses: Responses): OtherFamily {
  const version = otherVersion(own.ipVersion);
  const response = responses[version];
  const unchecked = `IPv${version} could not be checked.`;
  const unknown = (verdict: string, detail: string): OtherFamily => ({ ip: null, verdict, detail });
  if (response === 'limited')
    return unknown(unchecked, 'Too many requests from this IP address. Reload the page in a minute.');
  if (response === null || response === 'unreachable') {
    if (responses[own.ipVersion] === 'unreachable') return unknown(unchecked, unreachable.both);
    return unknown(`This browser did not reach the service over IPv${version}.`, unreachable[version]);
  }
  if (response === 'failed' || response.ip === null)
    return unknown(
      unchecked,
      `The host of this service for IPv${version} responded without an address; try again later.`,
    );
  if (versionOf(response.ip) !== version)
    return unknown(unchecked, `The host of this service for IPv${version} is set up incorrectly.`);
  const isOneVersionOnly = Object.values(own.origins).includes(pageOrigin);
  const detail = [describePlace(response, own), isOneVersionOnly ? '' : preferences[own.ipVersion]];
  const another = addressOver(own.ipVersion, responses);
  if (another !== null && another !== own.ip)
    detail.push(`Another request came from ${another}. Usual reason: a provider or VPN that uses several addresses.`);
  return {
    ip: response.ip,
    verdict: isOneVersionOnly ? 'IPv4 and IPv6 work.' : verdicts[own.ipVersion],
    detail: detail.filter((sentence) => sentence !== '').join(' '),
  };
}

/** By the version that was not reached. */
const unreachable = {
  4: 'Usual reasons: a network without IPv4, or an extension that blocks the host.',
  6: 'Usual reasons: no IPv6 from the provider, a router or VPN without it, or an extension that blocks the host.',
  both: "This browser reached none of the service's hosts for one version. Usual reason: an extension that blocks them.",
};

/** By the version that the browser prefers. */
const verdicts = {
  4: 'IPv6 works, but your browser prefers IPv4.',
  6: 'IPv6 works, and your browser prefers it.',
};

/** Meaning of the preferred version for other websites, nearly all of which support IPv4. */
const preferences = {
  4: 'Only websites without IPv4 see the IPv6 address.',
  6: 'Websites without IPv6 see the IPv4 address.',
};

function describePlace(response: FamilyGeo, own: OwnAddress): string {
  const provider = response.asOrganization;
  const place = shortPlace(response);
  const known = joinKnown([provider, place]);
  if (known === null) return '';
  if (provider === null || own.network.asOrganization === null) return `${known}.`;
  const isSame = isOfOneOrganization(response, own.network);
  if (isSame && place === own.place) return place === null ? 'Same provider.' : 'Same provider and location.';
  if (isSame) return `${known}.`;
  return `${known}. Usual reason for two providers: a VPN or tunnel.`;
}

/** The address of the response if it came over this version. */
function addressOver(version: IpVersion, responses: Responses): string | null {
  const response = responses[version];
  if (response === null || typeof response === 'string' || response.ip === null) return null;
  return versionOf(response.ip) === version ? response.ip : null;
}
