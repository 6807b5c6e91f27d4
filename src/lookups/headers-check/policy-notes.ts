/** Notes on CORS, Permissions-Policy and Strict-Transport-Security. */
import { type InnerList, parseDictionary, Token } from 'structured-headers';
import { createNote, formatNames, mdnHeader, rfc } from './note.ts';
import type { GradedResponse, Note } from './schema.ts';
import { hstsProblemOf, parseHsts } from './strict-transport-security.ts';

const cors = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS';

export function corsNotes({ headers }: GradedResponse): Note[] {
  const origin = headers['access-control-allow-origin']?.trim();
  if (origin === undefined) return [];
  const hasCredentials = headers['access-control-allow-credentials']?.trim() === 'true';
  if (/[\s,]/.test(origin)) {
    const message =
      'Access-Control-Allow-Origin contains more than one origin, so browsers reject the response for all of them; send the one origin of the request.';
    return [
      createNote(
        { id: 'cors-duplicate-origin', level: 'warning', link: `${cors}/Errors/CORSMultipleAllowOriginNotAllowed` },
        message,
      ),
    ];
  }
  if (origin === '*' && hasCredentials) {
    const message =
      'Access-Control-Allow-Origin: * with Access-Control-Allow-Credentials: true: browsers reject requests with credentials; send the one origin of the request, if it is trusted.';
    return [
      createNote(
        { id: 'cors-any-origin-credentials', level: 'warning', link: `${cors}/Errors/CORSNotSupportingCredentials` },
        message,
      ),
    ];
  }
  if (origin === 'null') {
    const message = `Access-Control-Allow-Origin: null lets every sandboxed frame and local file read this response${hasCredentials ? ', with cookies' : ''}; name the trusted origins instead.`;
    const level = hasCredentials ? 'warning' : 'info';
    return [createNote({ id: 'cors-null-origin', level, link: mdnHeader('Access-Control-Allow-Origin') }, message)];
  }
  if (origin !== '*') return [];
  const message = 'Access-Control-Allow-Origin: * lets every site read this response; use it only for public data.';
  return [
    createNote({ id: 'cors-any-origin', level: 'info', link: mdnHeader('Access-Control-Allow-Origin') }, message),
  ];
}

const permissionsPolicy = mdnHeader('Permissions-Policy');

export function permissionsPolicyNotes({ headers }: GradedResponse): Note[] {
  const value = headers['permissions-policy'];
  if (value === undefined) {
    if (!isHtml(headers['content-type'] ?? 'text/html')) return [];
    const message =
      'Permissions-Policy is missing. It disables browser features that the page does not use, for example: Permissions-Policy: camera=(), microphone=(), geolocation=()';
    return [createNote({ id: 'permissions-policy-absent', level: 'info', link: permissionsPolicy }, message)];
  }
  const open = openFeaturesOf(value);
  if (open === null) {
    const message =
      /['*]/.test(value) && !value.includes('=')
        ? "Permissions-Policy has the syntax of Feature-Policy (camera 'none'), so browsers ignore it; write camera=(), microphone=(self)."
        : 'Permissions-Policy is not valid, so browsers ignore it; write features and origins like this: camera=(), microphone=(self).';
    return [createNote({ id: 'permissions-policy-invalid', level: 'warning', link: permissionsPolicy }, message)];
  }
  if (open.length === 0) return [];
  const message = `Permissions-Policy allows these features for every site that the page embeds: ${formatNames(open)}. Use () or (self).`;
  return [createNote({ id: 'permissions-policy-any', level: 'info', link: permissionsPolicy }, message)];
}

/** Features that are allowed for every origin (`=*`); null if the value is not a structured field dictionary. */
function openFeaturesOf(value: string): string[] | null {
  try {
    const allowsAll = (item: unknown): boolean => item instanceof Token && item.toString() === '*';
    return [...parseDictionary(value)].flatMap(([feature, [item]]) => {
      const items = Array.isArray(item) ? (item as InnerList[0]).map(([each]) => each) : [item];
      return items.some(allowsAll) ? [feature] : [];
    });
  } catch {
    return null;
  }
}

export const isHtml = (contentType: string): boolean => /^\s*text\/html\b/i.test(contentType);

/** One year: the minimum of hstspreload.org. */
const preloadMaxAge = 31_536_000;

export function hstsNotes({ finalUrl, headers }: GradedResponse): Note[] {
  const value = headers['strict-transport-security'];
  if (value === undefined || !finalUrl.startsWith('https:')) return [];
  const problem = hstsProblemOf(value);
  if (problem !== null) {
    const message = `Browsers ignore the Strict-Transport-Security header: ${problem}. Send, for example: max-age=63072000; includeSubDomains`;
    return [createNote({ id: 'hsts-ignored', level: 'warning', link: rfc(6797, '6.1') }, message)];
  }
  const hsts = parseHsts(value);
  if (!hsts?.preload) return [];
  const link = `${mdnHeader('Strict-Transport-Security')}#preloading_strict_transport_security`;
  if (hsts.includeSubDomains && hsts.maxAge >= preloadMaxAge) {
    const message =
      "HSTS meets the requirements of the browsers' preload lists (hstspreload.org); whether the site is on them was not checked.";
    return [createNote({ id: 'hsts-preload-eligible', level: 'info', link }, message)];
  }
  const message = `HSTS contains preload, which requires includeSubDomains and a max-age of at least ${preloadMaxAge}.`;
  return [createNote({ id: 'hsts-preload-ineligible', level: 'warning', link }, message)];
}
