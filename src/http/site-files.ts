/** Files at fixed paths for programs: robots.txt (RFC 9309), security.txt (RFC 9116), images of the icon. */
import { ServiceError } from '../core/errors.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { Endpoint } from './endpoint.ts';
import { favicon, touchIcon } from './generated/icons.ts';
import { linkOf } from './usage-policy.ts';

/** Allows the pages; disallows lookups, which send requests to other servers, by folder where they have one. */
export function robotsTxt(endpoints: readonly Endpoint[]): string {
  const lookups = endpoints.filter(({ rates }) => rates.includes('lookup'));
  const disallowed = new Set(lookups.map(({ path }) => path.replace(/(?<=.\/).*$/, '')));
  return ['User-agent: *', ...[...disallowed].map((path) => `Disallow: ${path}`), 'Allow: /', ''].join('\n');
}

export const securityTxtPath = '/.well-known/security.txt';

/** RFC 9116 §2.5.5 recommends less than a year. */
const validDays = 180;
const dayMs = 24 * 60 * 60 * 1000;

/** Throws `not_found` if the operator set no contact. */
export function securityTxt({ deployment, baseUrl, platform }: RequestContext): string {
  const { contact } = deployment;
  if (contact === null)
    throw new ServiceError('not_found', 'No security contact is set; the operator can set one with CONTACT.');
  // Whole days, so that the file is the same all day.
  const expires = new Date((Math.floor(platform.now() / dayMs) + validDays) * dayMs);
  return [
    `Contact: ${linkOf(contact)}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${securityTxtPath}`,
    '',
  ].join('\n');
}

/** Decoded with atob, which every runtime has; Uint8Array.fromBase64 is missing before Node 25. */
const decode = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** ICO file with 16, 32 and 48 pixels. */
export const faviconBytes = decode(favicon);

/** PNG file with 180 pixels on white, because iOS shows transparency as black. */
export const touchIconBytes = decode(touchIcon);
