/** Notes on a response, without effect on the score: those of its headers, and those of the response as a whole. */

import { isRedirect } from '../../outbound.ts';
import { broad, type Policy } from '../checks/content-security-policy.ts';
import type { Cookie } from '../checks/cookies.ts';
import type { GradedResponse, Note } from '../schema.ts';
import { cookieNotes } from './cookie-notes.ts';
import { cspNotes } from './csp-notes.ts';
import { createNote, mdnHeader, rfc } from './note.ts';
import { corsNotes, hstsNotes, isHtml, permissionsPolicyNotes } from './policy-notes.ts';
import { softwareNotes } from './software-notes.ts';

/** `policy` is the graded one; `sent` includes the cookies that browsers reject. */
export function notes(response: GradedResponse, policy: Policy | null, sent: readonly Cookie[]): Note[] {
  const csp = response.headers['content-security-policy'] ?? '';
  return [
    ...responseNotes(response),
    ...redirectNotes(response),
    ...permissionsPolicyNotes(response),
    ...corsNotes(response),
    ...softwareNotes(response),
    ...hstsNotes(response),
    ...cookieNotes(response, sent),
    ...(policy === null ? [] : framingNotes(policy)),
    ...cspNotes(csp, policy),
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
  if (policy.get('frame-ancestors')?.isDisjointFrom(broad) === false) {
    const message =
      'frame-ancestors lets every site show the page in a frame, although the X-Frame-Options check passes.';
    const link = `${mdnHeader('Content-Security-Policy')}/frame-ancestors`;
    yield createNote({ id: 'frame-ancestors-any', level: 'warning', link }, message);
  }
}
