/** Compares what this browser states with the request that it sent, and shows one sentence for each subject. Sends nothing. */
import { type BrowserHints, type Requested, type Stated, subjects } from '../home/agreement.ts';
import { createElement } from './elements.ts';

/** Members that only some browsers have. */
interface Extras {
  readonly userAgentData?: BrowserHints;
  readonly globalPrivacyControl?: boolean;
}

export function showAgreement(): void {
  const list = document.querySelector<HTMLElement>('[data-requested]');
  if (list === null) return;
  const requested = JSON.parse(list.dataset.requested ?? '') as Requested;
  const stated = state();
  const differences: string[] = [];
  for (const [n, { difference, compare }] of subjects.entries()) {
    const row = list.children[n];
    const { verdict, sentence } = compare(requested, stated);
    row?.querySelector('.verdict')?.replaceChildren(verdict);
    row?.querySelector('dd')?.replaceChildren(sentence);
    if (verdict === 'differs') differences.push(difference);
  }
  const [first, ...others] = differences;
  const notable = document.getElementById('notable');
  if (first === undefined || notable === null) return;
  notable.querySelector('.nothing')?.remove();
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  notable.append(createElement('a', { href: '#agreement' }, first + more));
}

function state(): Stated {
  const { userAgent, languages, maxTouchPoints, doNotTrack } = navigator;
  const { userAgentData = null, globalPrivacyControl = false } = navigator as Extras;
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    nowMs: Date.now(),
    languages,
    userAgent,
    hints: userAgentData,
    isSecure: isSecureContext,
    touchPoints: maxTouchPoints,
    isCoarse: matchMedia('(pointer: coarse)').matches,
    isDntOn: doNotTrack === '1',
    isGpcOn: globalPrivacyControl,
  };
}
