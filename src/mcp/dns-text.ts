/** The readable form of a DNS answer: lines as in a zone file. */
import type { DnsAnswer } from '../lookups/dns/answer.ts';
import { lines } from './text.ts';

export function dnsText({ records, note, ...answer }: DnsAnswer): string {
  const shown = records.map(({ name, ttl, type, data }) => `${name} ${ttl} ${type} ${data}\n`);
  return `${note === null ? '' : `${note}\n`}${shown.join('')}${lines(answer)}`;
}
