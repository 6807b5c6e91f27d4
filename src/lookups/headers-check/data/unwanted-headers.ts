/** Headers, and directives of the Content-Security-Policy, that sites should not send. */
import { mdnHeader, rfc } from '../note.ts';

/**
 * Headers that reveal the server software, and often its version, to attackers: those of OWASP's list that name
 * software. `server` is reported only with a version.
 * https://owasp.org/www-project-secure-headers/ci/headers_remove.json Last updated: 2026-11-21
 */
export const revealingHeaders: readonly string[] = [
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
export const obsoleteHeaders: Readonly<Record<string, readonly [reason: string, link: string]>> = {
  'expect-ct': ['Browsers require Certificate Transparency without it.', mdnHeader('Expect-CT')],
  'feature-policy': ['Permissions-Policy replaces it.', mdnHeader('Permissions-Policy')],
  pragma: ['It is specified only for requests; Cache-Control replaces it.', mdnHeader('Pragma')],
  'public-key-pins': ['Browsers removed it because mistakes made sites unreachable.', rfc(7469, '4.5')],
  'public-key-pins-report-only': ['Browsers removed it.', rfc(7469, '2.1')],
  'x-content-security-policy': ['Content-Security-Policy replaces it.', mdnHeader('Content-Security-Policy')],
  'x-webkit-csp': ['Content-Security-Policy replaces it.', mdnHeader('Content-Security-Policy')],
  'x-xss-protection': [
    'Browsers removed the filter that it controlled, which could be abused; remove it or send 0.',
    mdnHeader('X-XSS-Protection'),
  ],
};

/** Directives of earlier drafts, which browsers no longer honor. */
export const deprecatedDirectives: readonly string[] = [
  'block-all-mixed-content',
  'disown-opener',
  'navigate-to',
  'plugin-types',
  'prefetch-src',
  'referrer',
  'reflected-xss',
  'require-sri-for',
];
