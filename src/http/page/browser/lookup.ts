/** Results of lookups without a new page: below the forms of the start page, which are tabs, and the parts of a report. */
import { announce, createElement } from './elements.ts';
import { isShown, stateTime } from './kept.ts';

export function enableLookupForms(): void {
  for (const card of document.querySelectorAll('.tool:has([action^="/lookup/"])')) {
    const form = card.querySelector('form');
    const button = card.querySelector('form button');
    const field = card.querySelector('input');
    const result = card.querySelector<HTMLElement>('.result');
    // On a lookup's own page, the form opens the page again.
    if (!form || !button || !field || !result || result.dataset.again !== undefined) continue;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      // aria-disabled, because disabled would take the keyboard focus away.
      if (button.ariaDisabled === 'true') return;
      button.ariaDisabled = 'true';
      const values = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
      const { left, available } = await lookUp(`${form.action}?${values}`, result);
      showLeft(form, [left]);
      markField(field, result.querySelector('.problem[id]'));
      await available;
      button.ariaDisabled = null;
    });
  }
}

/**
 * All parts at the same time. Each is shown when all before it are complete, so that none moves what is already on the screen; the line
 * about it, which has its place from the start, appears when the part has arrived.
 */
export async function loadReport(): Promise<void> {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-load]')];
  const showNext = () => parts.find((part) => !part.classList.contains('shown'))?.classList.add('shown');
  showNext();
  const done = new Set<HTMLElement>();
  const loaded = parts.map(async (part) => {
    const result = part.querySelector<HTMLElement>('.result') ?? part;
    const line = document.querySelector(`[data-of=${part.id}]`);
    let left: HTMLElement | null = null;
    if (!isShown(part)) {
      line?.replaceChildren('querying\u2026');
      ({ left } = await lookUp(part.dataset.load ?? '', result));
    }
    removeOwnLinks(part);
    line?.replaceChildren(result.dataset.brief || 'no result');
    done.add(part);
    for (const each of parts) {
      if (!done.has(each)) break;
      showNext();
    }
    return left;
  });
  showLeft(document, await Promise.all(loaded));
}

/** The value of a field that cannot be looked up: named to assistive technology with the problem, and focused. */
function markField(field: HTMLInputElement, problem: Element | null): void {
  field.ariaInvalid = problem && 'true';
  if (problem === null) field.removeAttribute('aria-describedby');
  else {
    field.setAttribute('aria-describedby', problem.id);
    field.focus();
  }
}

/** Rows that lead to the page on which they stand. */
function removeOwnLinks(part: Element): void {
  for (const link of part.querySelectorAll<HTMLAnchorElement>('dd a, .to-report a')) {
    if (link.pathname + link.search !== location.pathname + location.search) continue;
    const row = link.closest('dd');
    row?.previousElementSibling?.remove();
    (row ?? link.closest('.to-report'))?.remove();
  }
}

/** Shows the smallest of the numbers of lookups that are left. */
function showLeft(within: ParentNode, received: readonly (HTMLElement | null)[]): void {
  const numbered = received.filter((each) => each !== null && each.dataset.left !== undefined);
  const [least] = numbered.toSorted((a, b) => Number(a?.dataset.left) - Number(b?.dataset.left));
  if (least) within.querySelector('.left')?.replaceWith(least);
}

interface Loaded {
  /** The page's element with the number of lookups that are left; null without one. */
  readonly left: HTMLElement | null;
  /** Resolves when the client may send a lookup again. */
  readonly available: Promise<void>;
}

async function lookUp(url: string, result: HTMLElement): Promise<Loaded> {
  // It parses the page as a document that runs nothing; fetch would need a parser for text, which the page's policy forbids.
  const request = new XMLHttpRequest();
  request.open('GET', url);
  request.responseType = 'document';
  request.setRequestHeader('Accept', 'text/html');
  delete result.dataset.at;
  let problem = 'No valid response from the service; check your connection and try again.';
  const timer = showProgress(result, () => {
    problem = 'Canceled.';
    request.abort();
  });
  await new Promise((resolve) => {
    request.addEventListener('loadend', resolve);
    request.send();
  });
  clearInterval(timer);
  const page = request.response as Document | null;
  const received = page?.querySelector<HTMLElement>('.result');
  const content = received?.childNodes ?? [createElement('div', { class: 'problem' }, createElement('p', {}, problem))];
  // The button that cancels had it.
  const hadFocus = result.contains(document.activeElement);
  result.replaceChildren(...content);
  if (hadFocus) {
    result.tabIndex = -1;
    result.focus({ preventScroll: true });
  }
  result.dataset.brief = received?.dataset.brief ?? '';
  // Only the result of a lookup has the URL to look up again.
  if (received?.dataset.again !== undefined) stateTime(result, received.dataset.visitor !== undefined);
  announce(received?.dataset.summary ?? problem);
  const available = request.status === 429 ? countDown(result) : Promise.resolve();
  return { left: page?.querySelector<HTMLElement>('.left') ?? null, available };
}

/** Returns the timer that shows the seconds. */
function showProgress(result: Element, cancel: () => void): ReturnType<typeof setInterval> {
  const began = Date.now();
  const seconds = createElement('span');
  const button = createElement('button', { type: 'button', class: 'quiet' }, 'Cancel');
  button.addEventListener('click', cancel);
  const bar = createElement('progress', { 'aria-label': 'Lookup in progress' });
  result.replaceChildren(createElement('p', {}, 'Querying… ', seconds), bar, button);
  announce('Querying.');
  return setInterval(() => {
    seconds.textContent = `${Math.floor((Date.now() - began) / 1000)} s`;
  }, 1000);
}

/** Counts the seconds in the message down. Resolves when the client may send a lookup again. */
async function countDown(result: Element): Promise<void> {
  const words = result.querySelector('.problem p');
  const message = words?.textContent ?? '';
  const seconds = Number(/\d+(?= seconds?)/.exec(message)?.[0] ?? 60);
  const until = Date.now() + seconds * 1000;
  for (let left = seconds; left > 0; left = Math.ceil((until - Date.now()) / 1000)) {
    words?.replaceChildren(message.replace(/\d+ seconds?/, `${left} s`));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  words?.replaceChildren('You can try again.');
}

/** Tabs: one panel at a time, selected by click, arrow keys, Home and End (WAI-ARIA pattern). */
export function enableTabs(): void {
  const list = document.querySelector('[role=tablist]');
  const tabs = [...(list?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
  const select = (chosen: HTMLElement) => {
    for (const tab of tabs) {
      tab.ariaSelected = `${tab === chosen}`;
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls') ?? '')?.classList.toggle('selected', tab === chosen);
    }
  };
  list?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && tabs.includes(target)) select(target);
  });
  list?.addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event as KeyboardEvent;
    // Commands of the browser, such as Back.
    if (altKey || ctrlKey || metaKey || shiftKey) return;
    const at = tabs.indexOf(target as HTMLElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    select(tab);
    tab.focus();
  });
  if (tabs[0]) select(tabs[0]);
}
