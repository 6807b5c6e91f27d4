/** Conditions under which a lookup command fails although it has a result: `--fail-below` and `--expires-within`. */
import type { HeaderCheck } from '../lookups/headers-check/schema.ts';
import { parseQuery } from '../lookups/rdap/query.ts';
import type { RdapResult } from '../lookups/rdap/schema.ts';
import { type CommandFlags, UsageError } from './commands.ts';
import { daysToExpiry } from './layouts/lookups.ts';
import type { Item } from './output.ts';

/** Returns the reason why a result makes the command fail; null if it does not. */
type FailureCondition = (value: object) => string | null;

/** Returns the condition that the flags set; throws a UsageError if a flag has a wrong value, or no item can meet it. */
export async function failureConditionOf(flags: CommandFlags, items: readonly Item[]): Promise<FailureCondition> {
  const { format, 'fail-below': failBelow, 'expires-within': expiresWithin } = flags;
  if (format !== undefined && format !== 'junit') throw new UsageError(`--format: must be junit, not "${format}"`);
  if (failBelow !== undefined) return gradeCondition(failBelow);
  if (expiresWithin !== undefined) return expiryCondition(expiresWithin, items);
  return () => null;
}

async function gradeCondition(failBelow: string): Promise<FailureCondition> {
  const { isWorseThan } = await import('./layouts/grade.ts');
  const isBelow = isWorseThan(failBelow);
  if (isBelow === null) throw new UsageError(`--fail-below: must be a grade from A+ to F, not "${failBelow}"`);
  return (value) => {
    const check = value as HeaderCheck;
    return isBelow(check) ? `${check.grade.grade} is below ${failBelow.toUpperCase()}` : null;
  };
}

function expiryCondition(expiresWithin: string, items: readonly Item[]): FailureCondition {
  if (!/^\d{1,5}$/.test(expiresWithin))
    throw new UsageError(`--expires-within: must be a number of days, not "${expiresWithin}"`);
  const number = items.find(({ name }) => isNumber(name));
  if (number !== undefined)
    throw new UsageError(`--expires-within: ${number.name} has no expiry date; send domain names only`);
  return (value) => {
    const days = daysToExpiry(value as RdapResult, Date.now());
    if (days === null) return 'the registry states no expiry date';
    if (days < 0) return `expired ${-days} ${-days === 1 ? 'day' : 'days'} ago`;
    return days < Number(expiresWithin) ? `expires in ${days} days, within ${expiresWithin}` : null;
  };
}

/** Whether a query is an IP address, a block or an AS number; a query that is not valid is reported by the lookup. */
function isNumber(query: string): boolean {
  try {
    return parseQuery(query).kind !== 'domain';
  } catch {
    return false;
  }
}
