/** Requests this service over IPv4 and over IPv6, if its hosts for them are set, and shows the other address. */
import {
  describeFamily,
  describePreference,
  describeVerdict,
  type FamilyGeo,
  type FamilyResponse,
  type OwnAddress,
  otherVersion,
} from '../home/address-families.ts';
import { splitInvisible } from '../text.ts';
import { announce, createElement } from './elements.ts';

const timeoutMs = 5_000;

export async function showFamilies(): Promise<void> {
  const block = document.querySelector<HTMLElement>('[data-own]');
  if (block === null) return;
  const own = JSON.parse(block.dataset.own ?? '') as OwnAddress;
  const [over4, over6] = await Promise.all([requestGeo(own.origins[4]), requestGeo(own.origins[6])]);
  const responses = { 4: over4, 6: over6 };
  block.querySelector('.outcome')?.replaceChildren(describeVerdict(own, location.origin, responses));
  block.querySelector('.preference')?.replaceChildren(describePreference(own, location.origin, responses));
  const version = otherVersion(own.ipVersion);
  const response = responses[version];
  if (response === null) return;
  const { ip, detail } = describeFamily(version, response, own);
  block.querySelector('.detail')?.replaceChildren(renderUntrusted(detail));
  if (ip === null) return;
  const copy = { type: 'button', class: 'copy quiet', 'aria-label': `Copy the IPv${version} address` };
  // Line breaks only between the groups of an IPv6 address.
  const groups = ip.split(/(?<=:)/).flatMap((group) => [group, createElement('wbr')]);
  const address = createElement('span', { class: 'mono' }, ...groups);
  block.querySelector('.other')?.append(address, createElement('button', copy, 'Copy'));
  announce(`IPv${version} address: ${ip}.`);
}

/** Untrusted text, as on the server: isolated text direction, invisible characters as code points. */
function renderUntrusted(text: string): Element {
  const parts = [...splitInvisible(text)].map((part) =>
    part.isInvisible ? createElement('span', { class: 'invisible' }, part.text) : part.text,
  );
  return createElement('bdi', {}, ...parts);
}

/** Null if no host is set for this version. */
async function requestGeo(origin: string | null): Promise<FamilyResponse | null> {
  if (origin === null) return null;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${origin}/geo`, { cache: 'no-store', credentials: 'omit', signal });
    if (response.status === 429) return 'limited';
    return response.ok ? ((await response.json()) as FamilyGeo) : 'unreachable';
  } catch {
    return 'unreachable';
  }
}
