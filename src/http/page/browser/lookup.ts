/** Lookup forms: sends the query, shows progress, then renders the result or the error. */
import type { DnsAnswer } from '../../../lookups/dns/response.ts';
import type { HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import type { IpLookup } from '../../../lookups/ip/ip-lookup.ts';
import type { RdapResult } from '../../../lookups/rdap/rdap-result.ts';
import { invisible } from '../invisible.ts';
import { renderDns } from './dns.ts';
import { announce, createElement, renderUntrusted } from './elements.ts';
import { renderGrade } from './grade.ts';
import { renderIp } from './ip.ts';
import { renderRegistration } from './registration.ts';

interface Result {
  readonly nodes: Node[];
  /** Announced to screen readers. */
  readonly summary: string;
}

/** Renderers by the link parameter of the form. */
const renderers: Readonly<Record<string, (body: unknown) => Result>> = {
  rdap: (body) => {
    const result = body as RdapResult;
    return { nodes: renderRegistration(result), summary: `Registration data of ${result.query}.` };
  },
  dns: (body) => {
    const response = body as DnsAnswer;
    const count = `${response.records.length} ${response.type} record${response.records.length === 1 ? '' : 's'}`;
    return { nodes: renderDns(response), summary: `${count} for ${response.name}, ${response.status}.` };
  },
  ip: (body) => {
    const lookup = body as IpLookup;
    return { nodes: renderIp(lookup), summary: `Data for ${lookup.ip}.` };
  },
  check: (body) => {
    const check = body as HeaderCheck;
    return { nodes: renderGrade(check), summary: `Grade ${check.grade.grade}, ${check.grade.score} of 100.` };
  },
};

export function enableLookupForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-link]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.querySelector('button')?.ariaDisabled !== 'true') submit(form);
    });
    // A link filled in the form: the visitor only has to press Enter.
    if (new URLSearchParams(location.search).get(form.dataset.link ?? '')) form.querySelector('button')?.focus();
  }
}

async function submit(form: HTMLFormElement): Promise<void> {
  const input = form.querySelector('input');
  const select = form.querySelector('select');
  const button = form.querySelector('button');
  const result = form.parentElement?.querySelector('.result');
  const link = form.dataset.link ?? '';
  if (!input || !button || !result) return;
  const typed = input.value.trim();
  const value = link === 'check' && !typed.includes('://') ? `https://${typed}` : typed;
  const options: Record<string, string> = select === null ? {} : { [select.name]: select.value };
  history.replaceState(null, '', `/?${new URLSearchParams({ [link]: value, ...options })}`);

  const cancelled = new AbortController();
  const stopWaiting = showProgress(result, () => cancelled.abort());
  // aria-disabled, because disabled would take the keyboard focus away.
  button.ariaDisabled = 'true';
  let retryAfter = 0;
  try {
    const response = await fetch(`${form.action}?${new URLSearchParams({ [input.name]: value, ...options })}`, {
      signal: cancelled.signal,
    });
    const body = await response.json();
    if (response.ok) {
      const { nodes, summary } = renderers[link]?.(body) ?? { nodes: [], summary: 'Done.' };
      result.replaceChildren(...nodes, renderJson(body));
      announce(summary);
    } else {
      retryAfter = response.status === 429 ? Number(response.headers.get('retry-after') ?? 60) : 0;
      result.replaceChildren(renderProblem(String(body.message), String(body.error)));
      announce(String(body.message));
    }
  } catch {
    const words = cancelled.signal.aborted
      ? 'Cancelled.'
      : 'No valid response from the service; check your connection and try again.';
    result.replaceChildren(renderProblem(words, null));
    announce(words);
  } finally {
    stopWaiting();
  }
  if (retryAfter === 0) button.ariaDisabled = null;
  else
    countDown(result, retryAfter, () => {
      button.ariaDisabled = null;
    });
}

function showProgress(result: Element, cancel: () => void): () => void {
  const began = Date.now();
  const seconds = createElement('span', {}, '');
  const button = createElement('button', { type: 'button', class: 'quiet' }, 'Cancel');
  button.addEventListener('click', cancel);
  result.replaceChildren(
    createElement('p', {}, 'Querying… ', seconds),
    createElement('progress', { 'aria-label': 'Lookup in progress' }),
    button,
  );
  announce('Querying.');
  const timer = setInterval(() => {
    seconds.textContent = `${Math.round((Date.now() - began) / 1000)} s`;
  }, 1000);
  return () => clearInterval(timer);
}

function renderProblem(message: string, code: string | null): HTMLElement {
  const more =
    code === null
      ? null
      : createElement('a', { href: `/docs#error-${encodeURIComponent(code)}` }, createElement('code', {}, code));
  return createElement('div', { class: 'problem' }, createElement('p', {}, renderUntrusted(message)), more);
}

function countDown(result: Element, seconds: number, done: () => void): void {
  const left = createElement('b', {}, `${seconds} s`);
  const words = createElement(
    'p',
    {},
    'Lookups are limited per IP, so others on your network count too. Try again in ',
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
    words.replaceChildren('You can try again.');
    done();
  }, 1000);
}

/** The JSON as text; invisible characters except line breaks are escaped, so that it still parses to the same value. */
function renderJson(body: unknown): HTMLElement {
  const text = JSON.stringify(body, null, 2).replace(invisible, (mark) =>
    mark === '\n'
      ? mark
      : [...Array(mark.length).keys()].map((n) => `\\u${mark.charCodeAt(n).toString(16).padStart(4, '0')}`).join(''),
  );
  return createElement(
    'details',
    { class: 'raw' },
    createElement('summary', {}, 'JSON'),
    createElement('pre', { tabindex: '0', role: 'region', 'aria-label': 'JSON' }, text),
  );
}
