/** Terms of use and privacy of the service: the sentences that pages, OpenAPI and llms.txt share. */
import { hasLimits, type RateSettings } from '../core/limits.ts';
import type { Deployment } from '../core/request-context.ts';
import type { Contact } from '../core/setting-values.ts';

export const usagePolicy = {
  free: 'No key and no sign-up. Use is free, including commercial use, within reason.',
  machine:
    "The data describes the machine that sends the request. For a cloud-hosted assistant, that is the provider's server, not the user's device.",
  estimate:
    'Location and ISP come from an IP database. They are estimates that describe the access network, not a postal address. They can be wrong: do not base a decision about fraud or security only on them.',
  stable: 'A missing value is null, never omitted.',
  asIs: 'The service is provided as is, without an availability guarantee.',
  privacy:
    'Responses are built in memory from the request and discarded. IP addresses, headers and queries are never logged or written to a database. Requests are counted per endpoint, without IP addresses.',
  sharing:
    "Nothing is shared, except that a lookup sends its query to the servers it contacts. On Cloudflare Workers, Cloudflare may add the client's IP address to that request.",
  pages: 'Please do not request /json from a page that every visitor loads; run your own instance for that.',
} as const;

/** Required by the license of the embedded city database. */
const attribution = { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com', license: 'CC BY 4.0' };

/** Required by the license of the embedded ASN database. */
const asnAttribution = {
  text: 'ASN data: Route Views, NRO and DB-IP',
  url: 'https://github.com/sapics/ip-location-db/tree/main/asn',
  license: 'CC BY 4.0',
};

/** Attributions that the licenses of a deployment's databases require. */
export const attributionsOf = ({ hasAddressData = true }: Deployment) =>
  hasAddressData ? [attribution, asnAttribution] : [];

/** The beginning of a sentence that the contact ends; empty if there is no limit. */
export const moreRequestsOf = (settings: RateSettings): string =>
  hasLimits(settings) ? 'For higher limits, contact' : '';

/** Whom to ask for higher limits, as a sentence; empty if there is no limit. */
export function describeMoreRequests(deployment: Deployment): string {
  const start = moreRequestsOf(deployment);
  return start === '' ? '' : `${start} ${formatContact(deployment.contact)}.`;
}

export function formatContact(contact: Contact | null): string {
  if (contact === null) return 'the operator of this service';
  return 'email' in contact ? contact.email : contact.url;
}

/** The contact as the target of a link. */
export const linkOf = (contact: Contact): string => ('email' in contact ? `mailto:${contact.email}` : contact.url);
