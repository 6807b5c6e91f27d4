/** Notes on headers that reveal software, and on obsolete headers. */

import type { GradedResponse, Note } from '../schema.ts';
import { createNote, formatNames, mdnHeader, rfc } from './note.ts';

/**
 * Headers that reveal the server software, and often its version, to attackers: those of OWASP's list that name
 * software. `server` is reported only with a version.
 * https://owasp.org/www-project-secure-headers/ci/headers_remove.json Last updated: 2026-11-21
 */
const revealing = [
  'liferay-portal',
  'oraclecommercecloud-version',
  'pega-host',
  'powered-by',
  'product',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-beserver',
  'x-cf-powered-by',
  'x-cms',
  'x-cocoon-version',
  'x-content-encoded-by',
  'x-diaginfo',
  'x-feserver',
  'x-framework',
  'x-generated-by',
  'x-generator',
  'x-jitsi-release',
  'x-mod-pagespeed',
  'x-owa-version',
  'x-page-speed',
  'x-php-version',
  'x-powered-by',
  'x-powered-by-plesk',
  'x-powered-cms',
  'x-redirect-by',
  'x-server-powered-by',
  'x-sourcefiles',
  'x-turbo-charged-by',
  'x-umbraco-version',
  'x-varnish-backend',
  'x-varnish-server',
];

/** Headers that browsers no longer honor: the reason or replacement, and its documentation. */
const obsolete: Readonly<Record<string, readonly [reason: string, link: string]>> = {
  'expect-ct': ['Browsers require Certificate Transparency without it.', mdnHeader('Expect-CT')],
  'feature-policy': ['Permissions-Policy replaces it.', mdnHeader('Permissions-Policy')],
  pragma: ['It has a meaning only in requests; use Cache-Control.', mdnHeader('Pragma')],
  'public-key-pins': ['Browsers removed it because mistakes made sites unreachable.', rfc(7469, '4.5')],
  'public-key-pins-report-only': ['Browsers removed it.', rfc(7469, '2.1')],
  'x-content-security-policy': ['Content-Security-Policy replaces it.', mdnHeader('Content-Security-Policy')],
  'x-webkit-csp': ['Content-Security-Policy replaces it.', mdnHeader('Content-Security-Policy')],
  'x-xss-protection': [
    'Browsers removed the filter that it controlled, which could be abused; remove it or send 0.',
    mdnHeader('X-XSS-Protection'),
  ],
};

/** A product version, such as in `nginx/1.25.3` or `Apache/2.4 (Debian) PHP/8.2`. */
const version = /\/\s*v?\d|\d\.\d/;

export function softwareNotes({ headers }: GradedResponse): Note[] {
  const found: Note[] = [];
  const names = revealing.filter((name) => headers[name] !== undefined);
  if (version.test(headers.server ?? '')) names.unshift('server');
  if (names.length > 0) {
    const kind = { id: 'software-revealed', level: 'info', link: rfc(9110, '10.2.4') } as const;
    const message = `These headers reveal server software or its version: ${formatNames(names)}. Remove them, or the version.`;
    found.push(createNote(kind, message));
  }
  for (const [name, [reason, link]] of Object.entries(obsolete)) {
    const value = headers[name];
    if (value === undefined || (name === 'x-xss-protection' && value.trim() === '0')) continue;
    found.push(createNote({ id: 'deprecated-header', level: 'info', link }, `${name} is obsolete. ${reason}`));
  }
  return found;
}
