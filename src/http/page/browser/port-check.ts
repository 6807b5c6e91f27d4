/** Asks the service to connect to a port of the visitor's address, over both IP versions if it has a host for the other one, and shows what happened. */

import { describePort, type PortResult } from '../../../probes/port.ts';
import { type OwnAddress, otherVersion } from '../home/address-families.ts';
import { announce, createElement, messageOf, readJson } from './elements.ts';

/** A URL that checks a port, and the IP version over which a browser requests it; null if that is not known. */
interface Target {
  readonly url: string;
  readonly version: 4 | 6 | null;
}

/** Longer than the service takes: two seconds for the addresses of its own hosts, and three for the port. A network can drop what is sent over one IP version, and browsers try for minutes. */
const timeoutMs = 10_000;

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
    const query = new URLSearchParams({ port: field.value.trim() });
    const sentences = await Promise.all(targetsOf(form).map((target) => checkPort(target, query)));
    result.replaceChildren(...sentences.map((sentence) => createElement('p', {}, sentence)));
    announce(sentences.join(' '));
    button.ariaDisabled = null;
  });
}

/** The first screen states which hosts of the service have only one IP version. */
function targetsOf({ action }: HTMLFormElement): readonly Target[] {
  const data = document.querySelector<HTMLElement>('[data-own]')?.dataset.own;
  if (data === undefined) return [{ url: action, version: null }];
  const { ipVersion, origins } = JSON.parse(data) as OwnAddress;
  const other = otherVersion(ipVersion);
  return [
    { url: action, version: ipVersion },
    { url: `${origins[other]}/api/port`, version: other },
  ];
}

async function checkPort({ url, version }: Target, query: URLSearchParams): Promise<string> {
  const over = version === null ? '' : `IPv${version}: `;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${url}?${query}`, { cache: 'no-store', credentials: 'omit', signal });
    const body = await readJson(response);
    if (!response.ok) return `${over}${messageOf(body)}`;
    if ((body as Partial<PortResult> | null)?.state === undefined)
      throw new TypeError('not a response of this service');
    return describePort(body as PortResult);
  } catch {
    return version === null
      ? 'The service is unreachable; check your connection.'
      : `${over}This browser did not reach the service over IPv${version}.`;
  }
}
