/** Sentences on the databases in use: which one gives what. */
import type { DatabaseSource } from '../../edges/node/geoip/geoip.ts';

/** What a database gives. */
export const contents = { city: 'location', asn: 'ASN' } as const;

export const monthOf = (date: Date): string =>
  date.toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Type, age and origin of a database, and the fields that it fills. */
export function describeSource({ kind, type, origin, builtAt, fields }: DatabaseSource): string {
  const data = builtAt === null ? type : `${type} of ${monthOf(builtAt)}`;
  return `${contents[kind]} from ${data} (${origin}): ${fields.join(', ') || 'no records'}`;
}
