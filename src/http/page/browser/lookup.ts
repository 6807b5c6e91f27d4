/** Lookup forms of the start page: requests the lookup's page, and shows its result below the form. */
import { announce, createElement } from './elements.ts';

export function enableLookupForms(): void {
  for (const card of document.querySelectorAll('.tool')) {
    const form = card.querySelector('form');
    const result = card.querySelector('.result:empty');
    // On a lookup's own page, the form opens the page again.
    if (!form || !result) continue;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const button = form.querySelector('button');
      // aria-disabled, because disabled would take the keyboard focus away.
      if (!button || button.ariaDisabled === 'true') return;
      button.ariaDisabled = 'true';
      send(form, result, () => {
        button.ariaDisabled = null;
      });
    });
  }
}

function send(form: HTMLFormElement, result: Element, enableForm: () => void): void {
  // It parses the page as a document that runs nothing; fetch would need a parser for text, which the page's policy forbids.
  const request = new XMLHttpRequest();
  request.open('GET', `${form.action}?${new URLSearchParams(new FormData(form) as unknown as Record<string, string>)}`);
  request.responseType = 'document';
  request.setRequestHeader('Accept', 'text/html');
  let isCancelled = false;
  const stopWaiting = showProgress(result, () => {
    isCancelled = true;
    request.abort();
  });
  request.addEventListener('loadend', () => {
    stopWaiting();
    const received = (request.response as Document | null)?.querySelector<HTMLElement>('.result');
    if (received) {
      result.replaceChildren(...received.childNodes);
      announce(received.dataset.summary ?? '');
    } else
      showProblem(
        result,
        isCancelled ? 'Canceled.' : 'No valid response from the service; check your connection and try again.',
      );
    if (request.status === 429) countDown(result, Number(request.getResponseHeader('retry-after') ?? 60), enableForm);
    else enableForm();
  });
  request.send();
}

function showProblem(result: Element, message: string): void {
  result.replaceChildren(createElement('div', { class: 'problem' }, createElement('p', {}, message)));
  announce(message);
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
    seconds.textContent = `${Math.floor((Date.now() - began) / 1000)} s`;
  }, 1000);
  return () => clearInterval(timer);
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
