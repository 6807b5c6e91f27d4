/** The readable form of the traits of headers. */
import type { HeaderTraits } from '../client/header-traits.ts';

export function traitsText({ kind, note, hints, notApplicable }: HeaderTraits): string {
  const found = hints.map(({ level, id, hint, reason }) => `${level} ${id}: ${hint} ${reason}\n`);
  const left = [...Map.groupBy(notApplicable, ({ reason }) => reason)].map(
    ([reason, rules]) => `not applicable: ${rules.map(({ id }) => id).join(', ')}. ${reason}\n`,
  );
  return `${note}\nkind: ${kind}\n${found.length === 0 ? 'No hints.\n' : found.join('')}${left.join('')}`;
}
