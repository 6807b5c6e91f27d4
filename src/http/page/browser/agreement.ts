/** Compares what this browser states with the request that it sent, and shows one sentence for each subject. Sends nothing. */
import { type Requested, type Stated, subjects } from '../home/agreement.ts';
import { createElement } from './elements.ts';

export function showAgreement(): void {
  const list = document.querySelector<HTMLElement>('[data-requested]');
  if (list === null) return;
  const requested = JSON.parse(list.dataset.requested ?? '') as Requested;
  const stated: Stated = {
    navigator: navigator as Stated['navigator'],
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    nowMs: Date.now(),
    isSecure: isSecureContext,
    isCoarse: matchMedia('(pointer: coarse)').matches,
  };
  const differences: string[] = [];
  for (const [n, { difference, compare }] of subjects.entries()) {
    const { verdict, sentence } = compare(requested, stated);
    const chip = list.children[n]?.querySelector('.verdict');
    chip?.replaceChildren(verdict);
    chip?.classList.add(verdict.replace(' ', '-'));
    list.children[n]?.querySelector('dd')?.replaceChildren(sentence);
    if (verdict === 'differs') differences.push(difference);
  }
  const [first, ...others] = differences;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  document.querySelector('#notable .nothing')?.remove();
  document.getElementById('notable')?.append(createElement('a', { href: '#agreement' }, first + more));
}
