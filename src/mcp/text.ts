/** Text forms of tool results. */
import { flatten } from '../core/text.ts';
import type { DnsAnswer } from '../lookups/dns/schema.ts';
import type { HeaderTraits } from '../traits/header-traits.ts';

/** One `key: value` line for each value that is not null: a null is of no use to a model. */
export function formatLines(result: object): string {
  return flatten(result).replace(/^\S+:\n/gm, '');
}

/** Records as lines of a zone file. */
export function formatDns({ records, note, ...answer }: DnsAnswer): string {
  const lines = records.map(({ name, ttl, type, data }) => `${name} ${ttl} ${type} ${data}\n`);
  return `${note === null ? '' : `${note}\n`}${lines.join('')}${formatLines(answer)}`;
}

export function formatTraits({ source, kind, note, hints, notApplicable }: HeaderTraits): string {
  const found = hints.map(
    ({ level, id, headers, hint, reason }) => `${level} ${id} (${headers.join(', ')}): ${hint} ${reason}\n`,
  );
  const left = notApplicable.map(({ reason, ids }) => `not applicable: ${ids.join(', ')}. ${reason}\n`);
  const summary = `${note}\nsource: ${source}\nkind: ${kind}\n`;
  return `${summary}${found.length === 0 ? 'No hints.\n' : found.join('')}${left.join('')}`;
}
