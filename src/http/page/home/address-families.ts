/** Describes what the page learned about a client's IPv4 and IPv6 addresses. Pure, for the server and for the browser script. */

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
export interface FamilyGeo {
  readonly ip: string | null;
  readonly asOrganization: string | null;
  readonly city: string | null;
  readonly countryName: string | null;
}

/** `limited`: status 429. */
export type FamilyResponse = FamilyGeo | 'unreachable' | 'limited';

export interface FamilyDescription {
  readonly ip: string | null;
  readonly detail: string;
}

export const versionOf = (ip: string): IpVersion => (ip.includes(':') ? 6 : 4);

/** City and country, as far as known. */
export function shortPlace({ city, countryName }: Pick<FamilyGeo, 'city' | 'countryName'>): string | null {
  return [city, countryName].filter((name) => name !== null).join(', ') || null;
}

/** The row of the version that the page itself did not use. */
export function describeFamily(version: IpVersion, response: FamilyResponse, own: OwnAddress): FamilyDescription {
  if (response === 'limited')
    return { ip: null, detail: 'Not checked: too many requests from this IP address. Reload the page in a minute.' };
  if (response === 'unreachable' || response.ip === null)
    return {
      ip: null,
      detail:
        version === 6
          ? 'Not available: your browser reaches this service only over IPv4. Usual reason: a provider, router or VPN without IPv6.'
          : 'Not available: your browser reaches this service only over IPv6. Usual reason: a network without IPv4.',
    };
  if (versionOf(response.ip) !== version)
    return { ip: null, detail: `Not known: the host of this service for IPv${version} is set up incorrectly.` };
  const [provider, place] = [response.asOrganization, shortPlace(response)];
  const isSame = provider === own.provider && place === own.place;
  const known = [provider, place].filter((name) => name !== null).join(', ');
  return { ip: response.ip, detail: isSame && known !== '' ? 'Same provider and location' : known };
}

/** Which version the browser prefers and what that means; empty if nothing is known. */
export function describePreference(
  own: OwnAddress,
  pageOrigin: string,
  responses: Readonly<Partial<Record<IpVersion, FamilyResponse>>>,
): string {
  const addresses = ([4, 6] as const).flatMap((version) => {
    const response = responses[version];
    return typeof response === 'object' && response.ip !== null && versionOf(response.ip) === version
      ? [{ ...response, version }]
      : [];
  });
  const other = addresses.find(({ version }) => version !== own.ipVersion);
  const again = addresses.find(({ version, ip }) => version === own.ipVersion && ip !== own.ip);
  const isForced = Object.values(own.origins).includes(pageOrigin);
  return [
    ...(other === undefined || isForced
      ? []
      : [
          `Your browser prefers IPv${own.ipVersion}: websites that support both versions see that address, the others see the IPv${other.version} address.`,
        ]),
    ...(other === undefined || other.asOrganization === own.provider
      ? []
      : ['The providers differ. Usual reason: a VPN or tunnel that carries only one version.']),
    ...(again === undefined
      ? []
      : [`Another request came from ${again.ip}. Usual reason: a provider or VPN that uses several addresses.`]),
  ].join(' ');
}
