/** The headers of a response as lookups receive them. */
import type { Dispatcher } from 'undici';
import { decodeValue } from '../../../ingress/message/headers.ts';

/** `given` has the octets of each value as Latin-1. `bytes` is about their size in the response. */
export function headersOf(given: Dispatcher.ResponseData['headers']) {
  const headers: Record<string, string> = Object.create(null);
  const valuesOf = (name: string): readonly string[] => [given[name] ?? []].flat().map(decodeValue);
  const locations = new Set(valuesOf('location'));
  const hasSeveralLocations = locations.size > 1;
  let bytes = 0;
  for (const name of Object.keys(given)) {
    const values = valuesOf(name);
    for (const each of values) bytes += name.length + Buffer.byteLength(each) + 4;
    if (name !== 'set-cookie') headers[name] = [...(name === 'location' ? locations : values)].join(', ');
  }
  return { headers, setCookies: valuesOf('set-cookie'), ...(hasSeveralLocations && { hasSeveralLocations }), bytes };
}
