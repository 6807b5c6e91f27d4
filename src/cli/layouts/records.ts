/** Layout of DNS records: one line for each, and one for what the response shows besides. */
import type { DnsAnswer } from '../../lookups/dns/schema.ts';
import { columns, joinKnown, type Terminal } from './terminal.ts';

export function layOut({ records, note, status, dnssec, resolver, cnameChain }: DnsAnswer, terminal: Terminal): string {
  const table = records.map(({ name, ttl, type, data }) => [name, String(ttl), type, data]);
  const aliases = cnameChain.length === 0 ? null : `alias of ${cnameChain.join(', ')}`;
  const rest = joinKnown([status, aliases, dnssec ? 'DNSSEC validated' : 'no DNSSEC', `from ${resolver}`]);
  return `${columns(table, terminal)}${note === null ? '' : `${note}\n`}; ${rest}\n`;
}

/** The data of each record. */
export const shorten = ({ records }: DnsAnswer): string => records.map(({ data }) => data).join('\n');
