/** Notes on a response, without effect on the score: on its headers, and on the response as a whole. */
import { isRedirect } from '../outbound.ts';
import type { Cookie } from './cookies/cookie.ts';
import { cookieNotes } from './cookies/cookie-notes.ts';
import { obsoleteHeaders, revealingHeaders } from './data/unwanted-headers.ts';
import { isReferrerPolicy } from './listed-values.ts';
import { malformedNotes } from './malformed-notes.ts';
import { createNote, formatNames, isHtml, mdnHeader, rfc } from './note.ts';
import { permissionsPolicyNotes } from './permissions-policy.ts';
import { broad, haveOneOf, type Policy } from './policy/content-security-policy.ts';
import { cspNotes } from './policy/csp-notes.ts';
import { syntaxNotes } from './policy/csp-syntax.ts';
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
    ...permissionsPolicyNotes(response.headers),
    ...referrerPolicyNotes(response),
    ...corsNotes(response),
    ...softwareNotes(response),
    ...hstsNotes(response),
    ...cookieNotes(response, sent),
    ...(policy === null ? [] : framingNotes(enforcedPolicy(csp) ?? policy)),
    ...cspNotes(csp, policy !== null),
    ...syntaxNotes(response.headers['content-security-policy-report-only'] ?? ''),
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
  const credentials = headers['access-control-allow-credentials']?.trim();
  if (credentials !== undefined && credentials !== 'true')
    yield createNote(
      { id: 'cors-credentials-invalid', level: 'warning', link: mdnHeader('Access-Control-Allow-Credentials') },
      `Browsers ignore Access-Control-Allow-Credentials: ${formatNames([credentials])}. The only value is true, in lower case; without it, omit the header.`,
    );
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
  else if (origin !== '' && origin !== '*' && !isOrigin(origin))
    yield createNote(
      { id: 'cors-invalid-origin', level: 'warning', link: allowOrigin },
      `Access-Control-Allow-Origin is not an origin as browsers send it, so no request matches: ${formatNames([origin])}. Write scheme and host in lower case, without wildcard, path or final slash.`,
    );
  else if (origin === '*')
    yield createNote(
      { id: 'cors-any-origin', level: 'info', link: allowOrigin },
      'Access-Control-Allow-Origin: * lets every site read this response; use it only for public data.',
    );
}

/** An origin as browsers send it. Extensions and apps have schemes of their own (`capacitor:`), for which the URL parser knows no origin. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes('*')) return false;
  return url.origin === text || (url.origin === 'null' && /^[a-z][a-z\d+.-]*:\/\/[^/?#]+$/.test(text));
}

/** Values beside one that browsers know; without one, the check fails and says so. */
function* referrerPolicyNotes({ headers }: GradedResponse): Generator<Note> {
  const values = (headers['referrer-policy'] ?? '').split(',').map((value) => value.trim());
  const unknown = values.filter((value) => !isReferrerPolicy(value));
  if (unknown.length === 0 || unknown.length === values.length) return;
  yield createNote(
    { id: 'referrer-policy-unknown', level: 'info', link: mdnHeader('Referrer-Policy') },
    `Browsers ignore these values of Referrer-Policy: ${formatNames(unknown.map((value) => value || '(empty)'))}. The last known one counts; remove the others.`,
  );
}

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
