/** Requests this service over IPv4 and over IPv6, if its hosts for them are set, and shows the other address. */
import {
  describeOtherFamily,
  type FamilyGeo,
  type FamilyResponse,
  type OwnAddress,
  otherVersion,
} from '../home/address-families.ts';
import { announce, createElement, renderUntrusted } from './elements.ts';

const timeoutMs = 5_000;

/**
 * Creates the block with the sentences that stand there until the responses arrive, which keep its place. The server does not render it:
 * browsers without scripts would show forever that something is being checked.
 */
export function createFamilies(): () => Promise<void> {
  const block = document.querySelector<HTMLElement>('[data-own]');
  if (block === null) return async () => {};
  const own = JSON.parse(block.dataset.own ?? '') as OwnAddress;
  const version = otherVersion(own.ipVersion);
  const verdict = createElement('b', {}, `Checking IPv${version}…`);
  const detail = createElement('span', { class: 'detail' });
  const value = createElement('span', { class: 'mono' });
  const other = createElement(
    'p',
    { class: 'other' },
    createElement('span', { class: 'chip' }, `IPv${version}`),
    ' ',
    value,
  );
  block.append(other, createElement('p', { class: 'outcome' }, verdict, detail));
  return async () => {
    const [over4, over6] = await Promise.all([requestGeo(own.origins[4]), requestGeo(own.origins[6])]);
    const found = describeOtherFamily(own, location.origin, { 4: over4, 6: over6 });
    // A space in a text node of its own would count as moved.
    verdict.replaceChildren(`${found.verdict} `);
    detail.replaceChildren(renderUntrusted(found.detail));
    value.replaceChildren(...(found.ip === null ? ['not known'] : breakable(found.ip)));
    // The test of WebRTC waits for it.
    block.dataset.otherIp = found.ip ?? '';
    block.dispatchEvent(new Event('checked'));
    if (found.ip === null) return;
    const copy = { type: 'button', class: 'copy quiet', 'aria-label': `Copy the IPv${version} address` };
    other.append(' ', createElement('button', copy, 'Copy'));
    announce(`IPv${version} address: ${found.ip}.`);
  };
}

/** Line breaks only between the groups of an IPv6 address. */
const breakable = (ip: string): (string | Element)[] =>
  ip.split(/(?<=:)/).flatMap((group) => [group, createElement('wbr')]);

/** Null if no host is set for this version. */
async function requestGeo(origin: string | null): Promise<FamilyResponse | null> {
  if (origin === null) return null;
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${origin}/geo`, { cache: 'no-store', credentials: 'omit', signal }).catch(() => null);
  if (response === null) return 'unreachable';
  if (response.status === 429) return 'limited';
  if (!response.ok) return 'failed';
  const geo = (await response.json().catch(() => null)) as FamilyGeo | null;
  // The host may belong to another service, by a mistake of the operator.
  return geo?.ip === undefined ? 'failed' : geo;
}
