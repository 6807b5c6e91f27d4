/** Plain explanations of what a registry states about DNSSEC and the registrant, and of RDAP status values, as IANA's registry of RDAP JSON values and ICANN's list of EPP status codes define them. */

import { formatCount, joinKnown } from '../../core/text.ts';
import type { DomainSummary } from './schema.ts';

/** Null if the registry does not state whether the domain is signed. */
export function describeSigning({ signed, ds }: DomainSummary['dnssec']): string | null {
  if (signed !== true) return signed === null ? null : 'not signed';
  // A registry may state no DS record, or the key instead (RFC 9083 §5.3).
  return ds === 0 ? 'signed' : `signed, ${formatCount(ds, 'DS record')}`;
}

/** Null if the registry states nothing. */
export function describeRegistrant(registrant: DomainSummary['registrant']): string | null {
  const known = joinKnown([registrant?.organization, registrant?.name, registrant?.country]);
  if (registrant?.redacted !== true) return known;
  return known === null ? 'withheld by the registry' : `${known} (partly withheld by the registry)`;
}

const restricted: Readonly<Record<string, string>> = {
  delete: 'deletion',
  renew: 'renewal',
  transfer: 'a transfer to another registrar',
  update: 'changes',
};

const meanings: Readonly<Record<string, string>> = {
  active: 'Registered, without restrictions.',
  'add period': 'Registered in the last days; it can still be deleted with a refund.',
  administrative: 'Assigned for administrative purposes.',
  associated: 'Used by another record.',
  'auto renew period': 'Renewed automatically in the last weeks; the renewal can still be undone.',
  'client hold': 'The registrar removed it from DNS, so it does not work: often an unpaid bill or a dispute.',
  locked: 'It cannot be changed.',
  'pending delete': 'It will be deleted in a few days and can then be registered by anyone.',
  private: 'Its registrant is not public.',
  'redemption period': 'Deleted, but the previous registrant can still restore it.',
  'renew period': 'Renewed in the last days.',
  reserved: 'Reserved; it cannot be registered.',
  'server hold': 'The registry removed it from DNS, so it does not work.',
  'transfer period': 'Transferred to another registrar in the last days.',
  validated: 'The registry validated the data.',
};

/** Values beside which `pending delete` lasts about 30 days, in which the name can be restored (RFC 3915 §3.1). */
const restorable: readonly string[] = ['redemption period', 'pending restore'];

/** Values beside which a name is not without restrictions, although some registries also send `active`. */
const restricting = / (?:hold|prohibited)$|^(?:inactive|locked|pending delete|redemption period|reserved)$/i;

/** The parts of a summary that decide what a value means. */
interface Statement {
  readonly status: readonly string[];
  /** Absent for numbers. */
  readonly nameservers?: readonly string[];
}

/** `status`: one of the values of the record. Null for a value without a known meaning. */
export function explainStatus(status: string, { status: all, nameservers }: Statement): string | null {
  const value = status.toLowerCase();
  // RFC 9083 §10.2.2; EPP has the value for a domain without name servers (RFC 5731 §2.3).
  if (value === 'inactive')
    return nameservers?.length === 0 ? 'It has no name servers, so it does not work.' : 'It is not in use.';
  if (value === 'pending delete' && all.some((each) => restorable.includes(each.toLowerCase())))
    return 'It will be deleted after the redemption period, unless it is restored.';
  if (value === 'active' && all.some((each) => restricting.test(each))) return 'Registered.';
  const [, by, action = ''] = /^(?:(client|server) )?(\w+) prohibited$/.exec(value) ?? [];
  const what = restricted[action];
  if (what !== undefined) {
    const who = by === 'client' ? 'The registrar' : by === 'server' ? 'The registry' : 'Registrar or registry';
    return `${who} blocks ${what}, usually to protect the name.`;
  }
  if (Object.hasOwn(meanings, value)) return meanings[value] ?? null;
  const [, pending] = /^pending (create|renew|restore|transfer|update)$/.exec(value) ?? [];
  return pending === undefined ? null : `The registry has received a request (${pending}) that is not complete yet.`;
}
