/** Text forms of tool results. */
import { flatten } from '../core/text.ts';
import type { DnsAnswer } from '../lookups/dns/schema.ts';
import type { HeaderTraits } from '../traits/header-traits.ts';

/** One `key: value` line for each value that is not null: a null is of no use to a model. */
export const formatLines = (result: object): string => flatten(result, false);

/** Records as lines of a zone file; a TXT record of several strings as these strings. */
export function formatDns({ records, note, ...answer }: DnsAnswer): string {
  const lines = records.map(({ name, ttl, type, data, txt }) => {
    const strings = txt !== null && txt.chunks.length > 1 ? txt.chunks.map((chunk) => JSON.stringify(chunk)) : [data];
    return `${name} ${ttl} ${type} ${strings.join(' ')}\n`;
  });
  return `${note === null ? '' : `${note}\n`}${lines.join('')}${formatLines(answer)}`;
}

/** Without the checks that could not run. */
export function formatTraits({ source, kind, note, hints }: HeaderTraits): string {
  const found = hints.map(
    ({ level, id, headers, hint, reason }) => `${level} ${id} (${headers.join(', ')}): ${hint} ${reason}\n`,
  );
  const summary = `${note}\nsource: ${source}\nkind: ${kind}\n`;
  return `${summary}${found.length === 0 ? 'No hints.\n' : found.join('')}`;
}
