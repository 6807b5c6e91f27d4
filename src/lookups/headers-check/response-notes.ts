/** Notes on a response, without effect on the score: those of its headers, and those of the response as a whole. */
import { type InnerList, parseDictionary, Token } from 'structured-headers';
import { isRedirect } from '../outbound.ts';
import type { Cookie } from './cookies/cookie.ts';
import { cookieNotes } from './cookies/cookie-notes.ts';
import { obsoleteHeaders, revealingHeaders } from './data/unwanted-headers.ts';
import { malformedNotes } from './malformed-notes.ts';
import { createNote, formatNames, mdnHeader, rfc } from './note.ts';
import { broad, haveOneOf, type Policy } from './policy/content-security-policy.ts';
import { cspNotes } from './policy/csp-notes.ts';
import { enforcedPolicy } from './policy/enforced-policy.ts';
import type { GradedResponse, Note } from './schema.ts';
import { hstsNotes } from './transport-security.ts';

/** `policy` is the graded one; `sent` includes the cookies that browsers reject. */
export function notes(response: GradedResponse, policy: Policy | null, sent: readonly Cookie[]): Note[] {
  const csp = response.headers['content-security-policy'] ?? '';
  return [
    ...malformedNotes(response.malformed ?? []),
    ...responseNotes(response),
    ...redirectNotes(response),
    ...permissionsPolicyNotes(response),
    ...corsNotes(response),
    ...softwareNotes(response),
    ...hstsNotes(response),
    ...cookieNotes(response, sent),
    ...(policy === null ? [] : framingNotes(enforcedPolicy(csp) ?? policy)),
    ...cspNotes(csp, policy !== null),
  ];
}

function* responseNotes({ status, finalUrl, headers }: GradedResponse): Generator<Note> {
  if (status >= 400) {
    const message = `The final response has status ${status}; error pages often lack a site's usual headers.`;
    yield createNote({ id: 'error-status', level: 'warning', link: rfc(9110, '15') }, message);
  }
  if (finalUrl.startsWith('http:')) {
    const message =
      'The final URL is plain HTTP: an attacker can change the whole response in transit, including these headers.';
    yield createNote({ id: 'plain-http', level: 'warning', link: rfc(9110, '4.2.2') }, message);
  }
  if (isHtml(headers['content-type'] ?? '')) {
    const message = 'The body is not read, so <meta> elements and script integrity (SRI) are not graded.';
    const link = 'https://developer.mozilla.org/en-US/docs/Web/Security/Subresource_Integrity';
    yield createNote({ id: 'body-not-read', level: 'info', link }, message);
  }
}

function* redirectNotes({ status, hops, headers }: GradedResponse): Generator<Note> {
  if (isRedirect(status) && headers.location && hops.at(-1)?.location === null) {
    const message =
      'The final response redirects to several different URLs, so the redirect was not followed; send one Location header.';
    yield createNote({ id: 'several-locations', level: 'warning', link: rfc(9110, '10.2.2') }, message);
  }
  // The redirection check starts at the first plain-HTTP URL, so it accepts a chain that leaves HTTPS before that.
  const at = hops.findIndex(({ url }, index) => url.startsWith('https:') && hops[index + 1]?.url.startsWith('http:'));
  if (at === -1) return;
  const message = `Redirect ${at + 1} goes from HTTPS to plain HTTP (${hostOf(hops[at]?.url)} to ${hostOf(hops[at + 1]?.url)}), where an attacker can read and replace it; redirect to an https:// URL.`;
  const link = `${mdnHeader('Strict-Transport-Security')}#insecure_http_requests`;
  yield createNote({ id: 'redirect-downgrade', level: 'warning', link }, message);
}

const hostOf = (url = ''): string => URL.parse(url)?.host ?? '';

function* framingNotes(policy: Policy): Generator<Note> {
  if (haveOneOf(policy.get('frame-ancestors') ?? [], broad)) {
    const message =
      'frame-ancestors lets every site show the page in a frame, although the X-Frame-Options check passes.';
    const link = `${mdnHeader('Content-Security-Policy')}/frame-ancestors`;
    yield createNote({ id: 'frame-ancestors-any', level: 'warning', link }, message);
  }
}

const corsErrors = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS/Errors';
const allowOrigin = mdnHeader('Access-Control-Allow-Origin');

function* corsNotes({ headers }: GradedResponse): Generator<Note> {
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

function* permissionsPolicyNotes({ headers }: GradedResponse): Generator<Note> {
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

const isHtml = (contentType: string): boolean => /^\s*text\/html\b/i.test(contentType);

/** A product version, such as in `nginx/1.25.3` or `Apache/2.4 (Debian) PHP/8.2`. */
const version = /\/\s*v?\d|\d\.\d/;

function softwareNotes({ headers }: GradedResponse): Note[] {
  const found: Note[] = [];
  const names = revealingHeaders.filter((name) => headers[name] !== undefined);
  if (version.test(headers.server ?? '')) names.unshift('server');
  if (names.length > 0) {
    const kind = { id: 'software-revealed', level: 'info', link: rfc(9110, '10.2.4') } as const;
    const message = `These headers reveal server software or its version: ${formatNames(names)}. Remove them, or the version.`;
    found.push(createNote(kind, message));
  }
  for (const [name, [reason, link]] of Object.entries(obsoleteHeaders)) {
    const value = headers[name];
    if (value === undefined || (name === 'x-xss-protection' && value.trim() === '0')) continue;
    found.push(createNote({ id: 'deprecated-header', level: 'info', link }, `${name} is obsolete. ${reason}`));
  }
  return found;
}
