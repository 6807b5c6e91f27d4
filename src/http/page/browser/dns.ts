/** Renders a DNS lookup: the records, then status, validation, aliases and note. */
import type { DnsAnswer } from '../../../lookups/dns/response.ts';
import { createChip, createElement, createFacts, renderUntrusted } from './elements.ts';

export function renderDns({ name, type, status, records, cnameChain, ttl, dnssec, note, resolver }: DnsAnswer): Node[] {
  return [
    createElement(
      'div',
      { class: 'part' },
      createElement('h4', { class: 'who' }, renderUntrusted(name)),
      createElement(
        'span',
        { class: 'chips' },
        createChip(type),
        createChip(status, status === 'NOERROR' ? '' : 'warn'),
      ),
    ),
    ...(note === null ? [] : [createElement('p', {}, renderUntrusted(note))]),
    createElement(
      'ul',
      { class: 'mono records' },
      ...records.map((record) =>
        createElement(
          'li',
          {},
          renderUntrusted(record.data),
          ' ',
          createElement('span', { class: 'small' }, `TTL ${record.ttl} s`),
        ),
      ),
    ),
    createFacts([
      ['Aliases', cnameChain.length === 0 ? null : renderUntrusted(cnameChain.join(' → '))],
      ['Cacheable', ttl === null ? null : `${ttl} s`],
      ['DNSSEC', dnssec ? 'validated' : 'not validated'],
      ['Resolver', renderUntrusted(resolver)],
    ]),
  ];
}
