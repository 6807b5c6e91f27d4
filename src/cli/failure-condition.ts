/** Conditions under which a lookup command fails although it has a result to print: those that flags set, and those of `cert` and `domain`. */
import { formatCount } from '../core/text.ts';
import type { CertificateCheck } from '../lookups/certificate/schema.ts';
import type { HeaderCheck } from '../lookups/headers-check/schema.ts';
import { parseQuery } from '../lookups/rdap/query.ts';
import type { RdapResult } from '../lookups/rdap/schema.ts';
import { type CommandFlags, UsageError } from './commands.ts';
import type { DomainReport } from './layouts/domain.ts';
import { daysToExpiry } from './layouts/lookups.ts';
import type { Item } from './output.ts';

/** Returns the reason why a result makes the command fail; null if it does not. */
type FailureCondition = (value: object) => string | null;

/**
 * Returns the condition of a command with its flags; throws a UsageError if a flag has a wrong value, or no item can meet it. `name`: the
 * command's.
 */
export async function failureConditionOf(
  name: string,
  flags: CommandFlags,
  items: readonly Item[],
): Promise<FailureCondition> {
  const { format, 'fail-below': failBelow, 'expires-within': expiresWithin } = flags;
  if (format !== undefined && format !== 'junit') throw new UsageError(`--format: must be junit, not "${format}"`);
  if (failBelow !== undefined) return gradeCondition(failBelow);
  if (name === 'cert') return certificateCondition(expiresWithin);
  if (name === 'domain') return reportCondition();
  if (expiresWithin !== undefined) return expiryCondition(expiresWithin, items);
  return () => null;
}

async function reportCondition(): Promise<FailureCondition> {
  const { hasResult } = await import('./layouts/domain.ts');
  return (value) => (hasResult(value as DomainReport) ? null : 'no part of the report has a result');
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

/** It also fails without flags: if the certificate is wrong on one of the addresses. */
async function certificateCondition(expiresWithin: string | undefined): Promise<FailureCondition> {
  const { problemsOf } = await import('../lookups/certificate/findings.ts');
  const within = expiresWithin === undefined ? 0 : parseDays(expiresWithin);
  return (value) => {
    const check = value as CertificateCheck;
    const soon = check.certificates.filter(({ daysLeft }) => daysLeft >= 0 && daysLeft < within);
    const expiries = soon.map(({ daysLeft }) => `expires in ${formatCount(daysLeft, 'day')}, within ${within}`);
    return [...new Set([...problemsOf(check), ...expiries])].join('; ') || null;
  };
}

function parseDays(text: string): number {
  const [, days] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (days === undefined) throw new UsageError(`--expires-within: must be a number of days, not "${text}"`);
  return Number(days);
}

function expiryCondition(expiresWithin: string, items: readonly Item[]): FailureCondition {
  const within = parseDays(expiresWithin);
  const number = items.find(({ name }) => isNumber(name));
  if (number !== undefined)
    throw new UsageError(`--expires-within: ${number.name} has no expiry date; send domain names only`);
  return (value) => {
    const days = daysToExpiry(value as RdapResult, Date.now());
    if (days === null) return 'the registry states no expiry date';
    if (days < 0) return `expired ${formatCount(-days, 'day')} ago`;
    return days < within ? `expires in ${formatCount(days, 'day')}, within ${within}` : null;
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
