/** Describes what the page learned about a client's IPv4 and IPv6 addresses. Pure, for the server and for the browser script. */
import type { Geo } from '../../../resources/geo.ts';
import { joinKnown } from '../join-known.ts';

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
export const shortPlace = ({ city, countryName }: Pick<FamilyGeo, 'city' | 'countryName'>): string | null =>
  joinKnown([city, countryName]);

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

/** Which version the browser prefers and what that means; empty if nothing is known. */
export function describePreference(
  own: OwnAddress,
  pageOrigin: string,
  responses: Readonly<Record<IpVersion, FamilyResponse | null>>,
): string {
  const addressOver = (version: IpVersion): FamilyGeo | null => {
    const response = responses[version];
    if (response === 'limited' || response === 'unreachable') return null;
    return response?.ip && versionOf(response.ip) === version ? response : null;
  };
  const [same, other] = [addressOver(own.ipVersion), addressOver(otherVersion(own.ipVersion))];
  const sentences: string[] = [];
  if (other !== null && !Object.values(own.origins).includes(pageOrigin))
    sentences.push(
      `Your browser prefers IPv${own.ipVersion}: websites that support both versions see that address, the others see the IPv${otherVersion(own.ipVersion)} address.`,
    );
  if (other !== null && other.asOrganization !== own.provider)
    sentences.push('The providers differ. Usual reason: a VPN or tunnel that carries only one version.');
  if (same !== null && same.ip !== own.ip)
    sentences.push(
      `Another request came from ${same.ip}. Usual reason: a provider or VPN that uses several addresses.`,
    );
  return sentences.join(' ');
}
