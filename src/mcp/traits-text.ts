/** The readable form of the traits of headers. */
import type { HeaderTraits } from '../client/header-traits.ts';

export function traitsText({ kind, note, hints, notApplicable }: HeaderTraits): string {
  const found = hints.map(({ level, id, hint, reason }) => `${level} ${id}: ${hint} ${reason}\n`);
  const left = notApplicable.map(({ id, reason }) => `not applicable ${id}: ${reason}\n`);
  return `${note}\nkind: ${kind}\n${found.length === 0 ? 'No hints.\n' : found.join('')}${left.join('')}`;
}
