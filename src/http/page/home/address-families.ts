/** Describes what the page learned about a client's IPv4 and IPv6 addresses. Pure, for the server and for the browser script. */
import type { Geo } from '../../../resources/geo.ts';
import { joinKnown } from '../text.ts';

export type IpVersion = 4 | 6;

/** The page's own request, and where to send the others. */
export interface OwnAddress {
  readonly ip: string;
  readonly ipVersion: IpVersion;
  readonly provider: string | null;
  readonly place: string | null;
  /** Origins of this service that are reachable only over one IP version; null if not set. */
  readonly origins: Readonly<Record<IpVersion, string | null>>;
}

/** The members of `/geo` that are shown. */
export type FamilyGeo = Pick<Geo, 'ip' | 'asOrganization' | 'city' | 'countryName'>;

/** `limited`: status 429. */
export type FamilyResponse = FamilyGeo | 'unreachable' | 'limited';

const versionOf = (ip: string): IpVersion => (ip.includes(':') ? 6 : 4);

export const otherVersion = (version: IpVersion): IpVersion => (version === 4 ? 6 : 4);

/** City and country, as far as known. */
export const shortPlace = ({ city, countryName }: Pick<Geo, 'city' | 'countryName'>) => joinKnown([city, countryName]);

const missing = (detail: string) => ({ ip: null, detail });

/** Address and detail of the version that the page itself did not use. */
export function describeFamily(version: IpVersion, response: FamilyResponse, own: OwnAddress) {
  if (response === 'limited')
    return missing('Not checked: too many requests from this IP address. Reload the page in a minute.');
  if (response === 'unreachable' || response.ip === null)
    return missing(
      version === 6
        ? 'Not available: your browser reaches this service only over IPv4. Usual reason: a provider, router or VPN without IPv6.'
        : 'Not available: your browser reaches this service only over IPv6. Usual reason: a network without IPv4.',
    );
  if (versionOf(response.ip) !== version)
    return missing(`Not known: the host of this service for IPv${version} is set up incorrectly.`);
  const [provider, place] = [response.asOrganization, shortPlace(response)];
  const known = joinKnown([provider, place]) ?? '';
  const isSame = known !== '' && provider === own.provider && place === own.place;
  return { ip: response.ip, detail: isSame ? 'Same provider and location' : known };
}

type Responses = Readonly<Record<IpVersion, FamilyResponse | null>>;

/** The response over this version if it came over this version. */
function addressOver(version: IpVersion, responses: Responses): FamilyGeo | null {
  const response = responses[version];
  if (response === 'limited' || response === 'unreachable') return null;
  return response?.ip && versionOf(response.ip) === version ? response : null;
}

/** Whether IPv6 works, and which version the browser prefers; empty if it is not known. */
export function describeVerdict({ ipVersion, origins }: OwnAddress, pageOrigin: string, responses: Responses): string {
  const other = otherVersion(ipVersion);
  if (responses[other] === 'unreachable') return ipVersion === 4 ? 'IPv6 does not work.' : 'IPv6 works, IPv4 does not.';
  if (addressOver(other, responses) === null) return '';
  if (Object.values(origins).includes(pageOrigin)) return 'IPv4 and IPv6 work.';
  return ipVersion === 6 ? 'IPv6 works, and your browser prefers it.' : 'IPv6 works, but your browser prefers IPv4.';
}

/** What the addresses mean for other websites; empty if nothing is known. */
export function describePreference(own: OwnAddress, pageOrigin: string, responses: Responses): string {
  const [same, other] = [own.ipVersion, otherVersion(own.ipVersion)].map((each) => addressOver(each, responses));
  const sentences: string[] = [];
  if (other && !Object.values(own.origins).includes(pageOrigin))
    sentences.push(
      `Websites that support both versions see the IPv${own.ipVersion} address, the others see the IPv${otherVersion(own.ipVersion)} address.`,
    );
  if (other && other.asOrganization !== own.provider)
    sentences.push('The providers differ. Usual reason: a VPN or tunnel that carries only one version.');
  if (same && same.ip !== own.ip)
    sentences.push(
      `Another request came from ${same.ip}. Usual reason: a provider or VPN that uses several addresses.`,
    );
  return sentences.join(' ');
}
