/** The forms of the lookups: ask, show that it takes time, draw the answer or say what went wrong. */
import type { HeaderCheck } from '../../../lookups/headers-check/header-check.ts';
import type { RdapResult } from '../../../lookups/rdap/rdap-result.ts';
import { unseen } from '../unseen.ts';
import { element, say, shown } from './elements.ts';
import { gradeCard } from './grade.ts';
import { registration } from './registration.ts';

interface Drawing {
  readonly nodes: Node[];
  /** For those who listen. */
  readonly summary: string;
}

/** By the name of the form in a link. */
const drawings: Readonly<Record<string, (body: unknown) => Drawing>> = {
  rdap: (body) => {
    const result = body as RdapResult;
    return { nodes: registration(result), summary: `Registration data of ${result.query}.` };
  },
  check: (body) => {
    const check = body as HeaderCheck;
    return { nodes: gradeCard(check), summary: `Grade ${check.grade.grade}, ${check.grade.score} of 100.` };
  },
};

export function lookupForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-link]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.querySelector('button')?.ariaDisabled !== 'true') ask(form);
    });
    // A link filled it in: that much nearer to the click it waits for.
    if (new URLSearchParams(location.search).get(form.dataset.link ?? '')) form.querySelector('button')?.focus();
  }
}

async function ask(form: HTMLFormElement): Promise<void> {
  const input = form.querySelector('input');
  const button = form.querySelector('button');
  const result = form.parentElement?.querySelector('.result');
  const link = form.dataset.link ?? '';
  if (!input || !button || !result) return;
  const typed = input.value.trim();
  const value = link === 'check' && !typed.includes('://') ? `https://${typed}` : typed;
  history.replaceState(null, '', `/?${new URLSearchParams({ [link]: value })}`);

  const cancelled = new AbortController();
  const stopWaiting = waiting(result, () => cancelled.abort());
  // Not disabled altogether: that would take the focus from who pressed it by keyboard.
  button.ariaDisabled = 'true';
  let again = 0;
  try {
    const response = await fetch(`${form.action}?${new URLSearchParams({ [input.name]: value })}`, {
      signal: cancelled.signal,
    });
    const body = await response.json();
    if (response.ok) {
      const { nodes, summary } = drawings[link]?.(body) ?? { nodes: [], summary: 'Done.' };
      result.replaceChildren(...nodes, rawJson(body));
      say(summary);
    } else {
      again = response.status === 429 ? Number(response.headers.get('retry-after') ?? 60) : 0;
      result.replaceChildren(problem(String(body.message), String(body.error)));
      say(String(body.message));
    }
  } catch {
    const words = cancelled.signal.aborted
      ? 'Cancelled.'
      : 'The service gave no answer that can be read. Is there a connection?';
    result.replaceChildren(problem(words, null));
    say(words);
  } finally {
    stopWaiting();
  }
  if (again === 0) button.ariaDisabled = null;
  else
    countDown(result, again, () => {
      button.ariaDisabled = null;
    });
}

function waiting(result: Element, cancel: () => void): () => void {
  const began = Date.now();
  const seconds = element('span', {}, '');
  const button = element('button', { type: 'button', class: 'quiet' }, 'Cancel');
  button.addEventListener('click', cancel);
  result.replaceChildren(
    element('p', {}, 'Asking the servers in charge… ', seconds),
    element('progress', { 'aria-label': 'Waiting for the answer' }),
    button,
  );
  say('Asking.');
  const timer = setInterval(() => {
    seconds.textContent = `${Math.round((Date.now() - began) / 1000)} s`;
  }, 1000);
  return () => clearInterval(timer);
}

function problem(message: string, code: string | null): HTMLElement {
  const more =
    code === null ? null : element('a', { href: `/docs#error-${encodeURIComponent(code)}` }, element('code', {}, code));
  return element('div', { class: 'problem' }, element('p', {}, shown(message)), more);
}

function countDown(result: Element, seconds: number, done: () => void): void {
  const left = element('b', {}, `${seconds} s`);
  const words = element(
    'p',
    {},
    'Lookups are counted by address, so others on your network count too. You can ask again in ',
    left,
    '.',
  );
  result.firstElementChild?.append(words);
  const until = Date.now() + seconds * 1000;
  const timer = setInterval(() => {
    const rest = Math.ceil((until - Date.now()) / 1000);
    left.textContent = `${rest} s`;
    if (rest > 0) return;
    clearInterval(timer);
    words.replaceChildren('You can ask again.');
    done();
  }, 1000);
}

/** Still the same JSON: what would be invisible is escaped, but for its line breaks. */
function rawJson(body: unknown): HTMLElement {
  const text = JSON.stringify(body, null, 2).replace(unseen, (mark) =>
    mark === '\n'
      ? mark
      : [...Array(mark.length).keys()].map((n) => `\\u${mark.charCodeAt(n).toString(16).padStart(4, '0')}`).join(''),
  );
  return element(
    'details',
    { class: 'raw' },
    element('summary', {}, 'JSON'),
    element('pre', { tabindex: '0', role: 'region', 'aria-label': 'JSON' }, text),
  );
}
