/** Compares what this browser states with the request that it sent, and shows one sentence for each subject. Sends nothing. */
import {
  type BrowserHints,
  type Comparison,
  compare,
  type Requested,
  type Stated,
  subjects,
} from '../home/agreement.ts';
import { createElement } from './elements.ts';

/** Members that only some browsers have. */
interface Extras {
  readonly userAgentData?: BrowserHints;
  readonly globalPrivacyControl?: boolean;
}

export function showAgreement(): void {
  const list = document.querySelector<HTMLElement>('[data-requested]');
  if (list === null) return;
  const comparisons = compare(JSON.parse(list.dataset.requested ?? '') as Requested, state(), Date.now());
  for (const [n, [subject]] of subjects.entries()) {
    const row = list.children[n];
    const { agrees, sentence } = comparisons[subject];
    row?.classList.add(agrees === null ? 'unknown' : agrees ? 'agrees' : 'differs');
    row?.querySelector('.verdict')?.replaceChildren(agrees === null ? 'not compared' : agrees ? 'agrees' : 'differs');
    row?.querySelector('dd')?.replaceChildren(sentence);
  }
  summarize(Object.entries(comparisons));
}

/** In the line of what is notable. */
function summarize(comparisons: readonly (readonly [string, Comparison])[]): void {
  const line = document.getElementById('notable');
  const different = comparisons.filter(([, { agrees }]) => agrees === false).map(([subject]) => subject);
  if (line === null) return;
  if (different.length === 0) {
    line.querySelector('.nothing')?.replaceChildren('Nothing: request and browser agree');
    return;
  }
  line.querySelector('.nothing')?.remove();
  const names = new Intl.ListFormat('en').format(different);
  line.append(
    createElement(
      'a',
      { href: '#agreement' },
      `Your ${names} ${isPlural(different) ? 'do' : 'does'} not match the request`,
    ),
  );
}

const isPlural = (names: readonly string[]): boolean => names.length > 1 || names[0]?.endsWith('s') === true;

function state(): Stated {
  const { userAgent, languages, maxTouchPoints, doNotTrack } = navigator;
  const { userAgentData = null, globalPrivacyControl = false } = navigator as Extras;
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
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
