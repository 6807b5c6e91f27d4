/** Reads the members that all RDAP objects share: status values, events, links (RFC 9083 §4). */
import * as z from 'zod';
import { httpUrl } from './jcard.ts';
import { type JsonObject, maxListed, objectsOf, textOf, textsOf, timeOf } from './json.ts';

export const NullableText = z.string().nullable();
export const NullableTime = z.iso.datetime().nullable();

/** Entries that a registry sent and a summary leaves out. */
export const Omitted = z
  .int()
  .describe(`Entries left out of the lists of this summary, which have at most ${maxListed} each; data has all`);

/** RDAP's terms for EPP's (RFC 8056 §2); the others differ only in notation. */
const eppStatus: ReadonlyMap<string, string> = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

export function statusOf(data: JsonObject): string[] {
  const terms = textsOf(data.status).map((text) => {
    // Some registries append the URL of ICANN's explanation, as in WHOIS.
    const [term = ''] = text.split(/\shttps?:/i, 1);
    return term
      .trimEnd()
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
  });
  return [...new Set(terms.map((term) => eppStatus.get(term) ?? term))];
}

/** The first valid date of this action. */
export function eventOf(data: JsonObject, action: string): string | null {
  for (const { eventAction, eventDate } of objectsOf(data.events)) {
    const time = textOf(eventAction)?.toLowerCase() === action ? timeOf(eventDate) : null;
    if (time !== null) return time;
  }
  return null;
}

/** The first http(s) link with this relation, and with this media type if it is not null. */
export function linkOf(data: JsonObject, rel: string, mediaType: string | null): string | null {
  for (const link of objectsOf(data.links)) {
    const type = textOf(link.type)?.split(';')[0]?.trim().toLowerCase();
    const href =
      textOf(link.rel)?.toLowerCase() === rel && (mediaType === null || type === mediaType) ? httpUrl(link.href) : null;
    if (href !== null) return href;
  }
  return null;
}
