/** What callers may expect of the service and what it asks of them: the sentences that pages and discovery files share. */
import { rates, windowSeconds } from '../core/limits.ts';
import type { Contact } from '../core/settings.ts';

export const terms = {
  free: 'No key and no sign-up. Use is free, commercial use included, within reason.',
  machine:
    "The data describes the machine that sends the request. For an assistant in the cloud that is the provider's server, not the person who asked.",
  estimate:
    'Location and network are looked up in an address database: an estimate that describes the access network, not a postal address. They may be wrong and must not be the only signal for a security or fraud decision.',
  stable: 'A value that is missing is null, never left out.',
  asIs: 'The service is provided as is, with no promise that it is available.',
  privacy:
    'Answers are built in memory from the request and forgotten. Addresses, headers and queries are never logged, and there is no database. Calls are counted for each endpoint, without addresses. Nothing is shared with anyone, except that a lookup tells the servers it asks what is looked up.',
  pages: 'Please do not call /json from a page that every visitor loads.',
} as const;

/** Asked for by the licence of the embedded database. */
export const attribution = {
  text: 'IP Geolocation by DB-IP',
  url: 'https://db-ip.com',
  licence: 'CC BY 4.0',
} as const;

/** Goes on with `addressOf`. */
export const moreCalls = `For more than ${rates.general.perWindow} calls in ${windowSeconds} seconds ask`;

/** The contact as it is read. */
export function addressOf(contact: Contact | null): string {
  if (contact === null) return 'the operator of this service';
  return 'email' in contact ? contact.email : contact.url;
}

/** The contact as a link. */
export const linkOf = (contact: Contact): string => ('email' in contact ? `mailto:${contact.email}` : contact.url);
