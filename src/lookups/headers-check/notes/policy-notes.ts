/** Notes on CORS, Permissions-Policy and Strict-Transport-Security. */
import { type InnerList, parseDictionary, Token } from 'structured-headers';
import { hstsProblemOf, parseHsts } from '../checks/strict-transport-security.ts';
import type { GradedResponse, Note } from '../schema.ts';
import { createNote, formatNames, mdnHeader, rfc } from './note.ts';

const corsErrors = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS/Errors';
const allowOrigin = mdnHeader('Access-Control-Allow-Origin');

export function* corsNotes({ headers }: GradedResponse): Generator<Note> {
  const origin = headers['access-control-allow-origin']?.trim() ?? '';
  const hasCredentials = headers['access-control-allow-credentials']?.trim() === 'true';
  if (/[\s,]/.test(origin))
    yield createNote(
      { id: 'cors-duplicate-origin', level: 'warning', link: `${corsErrors}/CORSMultipleAllowOriginNotAllowed` },
      'Access-Control-Allow-Origin contains more than one origin, so browsers reject the response for all of them; send the one origin of the request.',
    );
  else if (origin === '*' && hasCredentials)
    yield createNote(
      { id: 'cors-any-origin-credentials', level: 'warning', link: `${corsErrors}/CORSNotSupportingCredentials` },
      'Access-Control-Allow-Origin: * with Access-Control-Allow-Credentials: true: browsers reject requests with credentials; send the one origin of the request, if it is trusted.',
    );
  else if (origin === 'null')
    yield createNote(
      { id: 'cors-null-origin', level: hasCredentials ? 'warning' : 'info', link: allowOrigin },
      `Access-Control-Allow-Origin: null lets every sandboxed frame and local file read this response${hasCredentials ? ', with cookies' : ''}; name the trusted origins instead.`,
    );
  else if (origin === '*')
    yield createNote(
      { id: 'cors-any-origin', level: 'info', link: allowOrigin },
      'Access-Control-Allow-Origin: * lets every site read this response; use it only for public data.',
    );
}

const permissionsPolicy = mdnHeader('Permissions-Policy');

export function* permissionsPolicyNotes({ headers }: GradedResponse): Generator<Note> {
  const value = headers['permissions-policy'];
  const open = value === undefined ? [] : openFeaturesOf(value);
  if (value === undefined && isHtml(headers['content-type'] ?? 'text/html'))
    yield createNote(
      { id: 'permissions-policy-absent', level: 'info', link: permissionsPolicy },
      'Permissions-Policy is missing. It disables browser features that the page does not use, for example: Permissions-Policy: camera=(), microphone=(), geolocation=()',
    );
  if (value !== undefined && open === null)
    yield createNote(
      { id: 'permissions-policy-invalid', level: 'warning', link: permissionsPolicy },
      /['*]/.test(value) && !value.includes('=')
        ? "Permissions-Policy has the syntax of Feature-Policy (camera 'none'), so browsers ignore it; write camera=(), microphone=(self)."
        : 'Permissions-Policy is not valid, so browsers ignore it; write features and origins like this: camera=(), microphone=(self).',
    );
  if (open !== null && open.length > 0)
    yield createNote(
      { id: 'permissions-policy-any', level: 'info', link: permissionsPolicy },
      `Permissions-Policy allows these features for every site that the page embeds: ${formatNames(open)}. Use () or (self).`,
    );
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
const preloading = `${mdnHeader('Strict-Transport-Security')}#preloading_strict_transport_security`;

export function* hstsNotes({ finalUrl, headers }: GradedResponse): Generator<Note> {
  const value = headers['strict-transport-security'];
  if (value === undefined || !finalUrl.startsWith('https:')) return;
  const problem = hstsProblemOf(value);
  const hsts = parseHsts(value);
  if (problem !== null)
    yield createNote(
      { id: 'hsts-ignored', level: 'warning', link: rfc(6797, '6.1') },
      `Browsers ignore the Strict-Transport-Security header: ${problem}. Send, for example: max-age=63072000; includeSubDomains`,
    );
  else if (hsts?.preload && hsts.includeSubDomains && hsts.maxAge >= preloadMaxAge)
    yield createNote(
      { id: 'hsts-preload-eligible', level: 'info', link: preloading },
      "HSTS meets the requirements of the browsers' preload lists (hstspreload.org); whether the site is on them was not checked.",
    );
  else if (hsts?.preload)
    yield createNote(
      { id: 'hsts-preload-ineligible', level: 'warning', link: preloading },
      `HSTS contains preload, which requires includeSubDomains and a max-age of at least ${preloadMaxAge}.`,
    );
}
