/** Asks the service to connect to a port of the visitor's address, and shows in words what happened. */
import { describePort, type PortResult } from '../home/port.ts';
import { announce, createElement, messageOf, readJson } from './elements.ts';

export function enablePortCheck(): void {
  const form = document.querySelector<HTMLFormElement>('form[action="/api/port"]');
  const button = form?.querySelector('button');
  const field = form?.querySelector('input');
  const result = form?.parentElement?.querySelector<HTMLElement>('.result');
  if (!form || !button || !field || !result) return;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // aria-disabled, because disabled would take the keyboard focus away.
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    result.replaceChildren(createElement('progress', { 'aria-label': 'Connecting' }));
    announce('Connecting.');
    const sentence = await checkPort(`${form.action}?${new URLSearchParams({ port: field.value.trim() })}`);
    result.replaceChildren(createElement('p', {}, sentence));
    announce(sentence);
    button.ariaDisabled = null;
  });
}

async function checkPort(url: string): Promise<string> {
  try {
    const response = await fetch(url, { cache: 'no-store' });
    const body = await readJson(response);
    return response.ok ? describePort(body as PortResult) : messageOf(body);
  } catch {
    return 'The service is unreachable; check your connection.';
  }
}
