/** Requests this service over IPv4 and over IPv6, if its hosts for them are set, and shows the other address. */
import {
  describeFamily,
  describePreference,
  type FamilyGeo,
  type FamilyResponse,
  type IpVersion,
  type OwnAddress,
  otherVersion,
} from '../home/address-families.ts';
import { splitInvisible } from '../invisible.ts';
import { announce, createElement } from './elements.ts';

const timeoutMs = 5_000;

export async function showFamilies(): Promise<void> {
  const block = document.querySelector<HTMLElement>('[data-own]');
  if (block === null) return;
  const own = JSON.parse(block.dataset.own ?? '') as OwnAddress;
  const [over4, over6] = await Promise.all(([4, 6] as const).map((version) => requestOver(own, version)));
  const responses = { ...(over4 && { 4: over4 }), ...(over6 && { 6: over6 }) };
  const preference = describePreference(own, location.origin, responses);
  block.querySelector('.preference')?.replaceChildren(preference);
  const version = otherVersion(own.ipVersion);
  const response = responses[version];
  if (response === undefined) return;
  const { ip, detail } = describeFamily(version, response, own);
  block.querySelector('.detail')?.replaceChildren(renderUntrusted(detail));
  const row = block.querySelector('.other');
  if (ip === null || row === null) return;
  const copy = { type: 'button', class: 'copy quiet', 'aria-label': `Copy the IPv${version} address` };
  // Line breaks only between the groups of an IPv6 address.
  const groups = ip.split(/(?<=:)/).flatMap((group) => [group, createElement('wbr')]);
  row.append(createElement('span', { class: 'mono' }, ...groups), createElement('button', copy, 'Copy'));
  announce(`IPv${version} address: ${ip}.`);
}

/** Untrusted text, as on the server: isolated text direction, invisible characters as code points. */
const renderUntrusted = (text: string): HTMLElement =>
  createElement(
    'bdi',
    {},
    ...[...splitInvisible(text)].map((part) =>
      part.isInvisible ? createElement('span', { class: 'invisible' }, part.text) : part.text,
    ),
  );

/** Undefined if no host is set for this version. */
async function requestOver({ origins }: OwnAddress, version: IpVersion): Promise<FamilyResponse | undefined> {
  const origin = origins[version];
  if (origin === null) return undefined;
  try {
    const response = await fetch(`${origin}/geo`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 429) return 'limited';
    return response.ok ? ((await response.json()) as FamilyGeo) : 'unreachable';
  } catch {
    return 'unreachable';
  }
}
