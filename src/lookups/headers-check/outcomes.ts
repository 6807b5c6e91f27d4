/** What each check can find: points, and the words for the owner of the site. */

interface Row {
  /** Given or taken. */
  readonly points: number;
  readonly pass: boolean;
  /** False where there was nothing to judge. */
  readonly applicable?: false;
  /** The header that was judged, where it is not the one of the check. */
  readonly header?: string;
  readonly description: string;
  readonly recommendation: string | null;
}

interface CheckRow {
  readonly title: string;
  /** The header that is judged, in lower case; null where it is not one header. */
  readonly header: string | null;
  readonly outcomes: Readonly<Record<string, Row>>;
}

const sendHsts = 'Send: Strict-Transport-Security: max-age=63072000; includeSubDomains';
const sendFrameOptions =
  "Send: X-Frame-Options: DENY (or SAMEORIGIN), and in the Content-Security-Policy: frame-ancestors 'none' (or 'self')";
const sendNosniff = 'Send: X-Content-Type-Options: nosniff';
const sendReferrerPolicy = 'Send: Referrer-Policy: strict-origin-when-cross-origin';
const sendPolicy =
  "Start from this and add what the site needs: Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const sendOpenerPolicy = 'Send: Cross-Origin-Opener-Policy: same-origin';
const sendEmbedderPolicy = 'Send, once all that the page embeds permits it: Cross-Origin-Embedder-Policy: require-corp';
const sendResourcePolicy = 'Send: Cross-Origin-Resource-Policy: same-origin (or same-site)';
const sendSecure = 'Send: Set-Cookie: name=value; Secure; HttpOnly; SameSite=Lax';
const sendRedirect = 'Answer plain HTTP with: 301 and Location: https:// followed by the same host and path';

/**
 * Algorithm 6 of the HTTP Observatory (August 2026) with its names and points, as far as the headers of one page show
 * it: without the preload list, certificates, CORS by a foreign origin and subresource integrity.
 * https://github.com/mdn/mdn-http-observatory Last updated: 2026-11-21
 */
export const checks = {
  'content-security-policy': {
    title: 'Content-Security-Policy',
    header: 'content-security-policy',
    outcomes: {
      'csp-implemented-with-no-unsafe-default-src-none': {
        points: 10,
        pass: true,
        description: 'The policy forbids everything it does not name, and names nothing unsafe.',
        recommendation: null,
      },
      'csp-implemented-with-no-unsafe': {
        points: 5,
        pass: true,
        description: 'The policy allows nothing unsafe, but what it does not name falls back to more than nothing.',
        recommendation: "Begin the policy with default-src 'none' and name each kind of content that the site loads.",
      },
      'csp-implemented-with-unsafe-inline-in-style-src-only': {
        points: 0,
        pass: true,
        description: 'Scripts are restricted, but styles may be inline or come from almost anywhere.',
        recommendation:
          "Move inline styles into files and send style-src 'self', or give each <style> a nonce that style-src names.",
      },
      'csp-implemented-but-duplicate-directives': {
        points: 0,
        pass: true,
        description: 'A report directive occurs twice in one policy; browsers heed the first alone.',
        recommendation: 'Keep one report-uri and one report-to in the policy.',
      },
      'csp-implemented-with-insecure-scheme-in-passive-content-only': {
        points: -10,
        pass: true,
        description: 'Images or media may be loaded by plain HTTP, where they can be read and replaced on the way.',
        recommendation: 'Write https: instead of http: in img-src and media-src.',
      },
      'csp-implemented-with-unsafe-eval': {
        points: -10,
        pass: false,
        description: "'unsafe-eval' lets the page turn strings into code, so injected text can become a script.",
        recommendation: "Remove 'unsafe-eval'; where WebAssembly needs it, 'wasm-unsafe-eval' is enough.",
      },
      'csp-implemented-with-unsafe-inline': {
        points: -20,
        pass: false,
        description:
          'Inline scripts, data: or almost any host may run scripts or plugins, by script-src, object-src or the lack of them: the policy does not stop an injected script.',
        recommendation:
          "Send script-src 'self' or script-src 'nonce-…' 'strict-dynamic' with a new nonce for each response, and object-src 'none'.",
      },
      'csp-implemented-with-insecure-scheme': {
        points: -20,
        pass: false,
        description: 'The policy lets an HTTPS page use plain HTTP, where what is loaded can be replaced on the way.',
        recommendation: 'Write https: instead of http: in every directive, those for reports included.',
      },
      'csp-header-invalid': {
        points: -25,
        pass: false,
        description:
          "The policy is not valid: it is empty, names a directive twice, ends in a comma, or has 'strict-dynamic' without a nonce or hash.",
        recommendation: sendPolicy,
      },
      'csp-not-implemented': {
        points: -25,
        pass: false,
        description: 'Nothing restricts which scripts may run, so an injected one runs with all rights of the page.',
        recommendation: sendPolicy,
      },
      'csp-not-implemented-but-reporting-enabled': {
        points: -25,
        pass: false,
        header: 'content-security-policy-report-only',
        description: 'Content-Security-Policy-Report-Only reports what a policy would stop, but stops nothing.',
        recommendation: 'Once its reports are quiet, send the same value as Content-Security-Policy.',
      },
    },
  },
  cookies: {
    title: 'Cookies',
    header: null,
    outcomes: {
      'cookies-secure-with-httponly-sessions-and-samesite': {
        points: 5,
        pass: true,
        description:
          'All cookies are kept to HTTPS and have SameSite, and scripts cannot read those that look like sessions.',
        recommendation: null,
      },
      'cookies-secure-with-httponly-sessions': {
        points: 0,
        pass: true,
        description: 'All cookies are kept to HTTPS, but some do not say which requests of other sites carry them.',
        recommendation: sendSecure,
      },
      'cookies-not-found': {
        points: 0,
        pass: true,
        applicable: false,
        description: 'The response sets no cookie that a browser would keep.',
        recommendation: null,
      },
      'cookies-without-secure-flag-but-protected-by-hsts': {
        points: -5,
        pass: false,
        description: 'A cookie lacks Secure. HSTS keeps browsers that know it from sending it by plain HTTP.',
        recommendation: sendSecure,
      },
      'cookies-session-without-secure-flag-but-protected-by-hsts': {
        points: -10,
        pass: false,
        description: 'A session cookie lacks Secure. HSTS keeps browsers that know it from sending it by plain HTTP.',
        recommendation: sendSecure,
      },
      'cookies-without-secure-flag': {
        points: -20,
        pass: false,
        description: 'A cookie lacks Secure, so it also travels by plain HTTP, where it can be read.',
        recommendation: sendSecure,
      },
      'cookies-samesite-flag-invalid': {
        points: -20,
        pass: false,
        description: 'A cookie has a SameSite that browsers do not know, or SameSite=None without Secure.',
        recommendation:
          'Send: Set-Cookie: name=value; Secure; SameSite=Lax (or Strict); where other sites need it: Secure; SameSite=None',
      },
      'cookies-anticsrf-without-samesite-flag': {
        points: -20,
        pass: false,
        description: 'A cookie against forged requests (CSRF) lacks SameSite, the plainest defence against them.',
        recommendation: 'Send: Set-Cookie: name=value; Secure; SameSite=Strict',
      },
      'cookies-session-without-httponly-flag': {
        points: -30,
        pass: false,
        description: 'A session cookie lacks HttpOnly, so an injected script can read it and take the session over.',
        recommendation: sendSecure,
      },
      'cookies-session-without-secure-flag': {
        points: -40,
        pass: false,
        description: 'A session cookie lacks Secure, so it travels by plain HTTP, where the session can be stolen.',
        recommendation: sendSecure,
      },
    },
  },
  'cross-origin-embedder-policy': {
    title: 'Cross-Origin-Embedder-Policy (COEP)',
    header: 'cross-origin-embedder-policy',
    outcomes: {
      'coep-implemented-with-require-corp': {
        points: 10,
        pass: true,
        description: 'The page embeds from other origins only what expressly permits it.',
        recommendation: null,
      },
      'coep-implemented-with-credentialless': {
        points: 10,
        pass: true,
        description: 'The page loads what is on other origins without cookies, so nothing private enters it unasked.',
        recommendation: null,
      },
      'coep-implemented-with-unsafe-none': {
        points: 0,
        pass: true,
        description: 'The page may embed anything, as without the header.',
        recommendation: sendEmbedderPolicy,
      },
      'coep-not-implemented': {
        points: 0,
        pass: true,
        description: 'The page may embed anything from other origins. Few sites need more.',
        recommendation: sendEmbedderPolicy,
      },
      'coep-header-invalid': {
        points: -5,
        pass: false,
        description: 'The header is not valid (one lower-case word, sent once), so browsers ignore it.',
        recommendation: sendEmbedderPolicy,
      },
    },
  },
  'cross-origin-opener-policy': {
    title: 'Cross-Origin-Opener-Policy (COOP)',
    header: 'cross-origin-opener-policy',
    outcomes: {
      'coop-implemented-with-same-origin': {
        points: 10,
        pass: true,
        description: 'Windows of other origins cannot hold on to this page, nor it to them.',
        recommendation: null,
      },
      'coop-implemented-with-same-origin-allow-popups': {
        points: 10,
        pass: true,
        description: 'Windows of other origins cannot hold on to this page; the popups that it opens are exempt.',
        recommendation: null,
      },
      'coop-implemented-with-noopener-allow-popups': {
        points: 10,
        pass: true,
        description: 'No window that opens this page can hold on to it, not even one of its own origin.',
        recommendation: null,
      },
      'coop-implemented-with-unsafe-none': {
        points: 0,
        pass: true,
        description: 'Windows of other origins can hold on to this page, as without the header.',
        recommendation: sendOpenerPolicy,
      },
      'coop-not-implemented': {
        points: 0,
        pass: true,
        description: 'A site that opens this page keeps a hold on its window and can, for one, send it elsewhere.',
        recommendation: sendOpenerPolicy,
      },
      'coop-header-invalid': {
        points: -5,
        pass: false,
        description: 'The header is not valid (one lower-case word, sent once), so browsers ignore it.',
        recommendation: sendOpenerPolicy,
      },
    },
  },
  'cross-origin-resource-policy': {
    title: 'Cross-Origin-Resource-Policy (CORP)',
    header: 'cross-origin-resource-policy',
    outcomes: {
      'corp-implemented-with-same-origin': {
        points: 10,
        pass: true,
        description: 'Pages of other origins cannot embed this response.',
        recommendation: null,
      },
      'corp-implemented-with-same-site': {
        points: 10,
        pass: true,
        description: 'Pages of other sites cannot embed this response.',
        recommendation: null,
      },
      'corp-implemented-with-cross-origin': {
        points: 0,
        pass: true,
        description: 'Every page may embed this response; right for what is meant to be embedded.',
        recommendation: null,
      },
      'corp-not-implemented': {
        points: 0,
        pass: true,
        description: 'Pages of other sites may load this response as an image or script and infer what is in it.',
        recommendation: sendResourcePolicy,
      },
      'corp-header-invalid': {
        points: -5,
        pass: false,
        description: 'The header is none of same-origin, same-site and cross-origin, sent once, so browsers ignore it.',
        recommendation: sendResourcePolicy,
      },
    },
  },
  'cross-origin-resource-sharing': {
    title: 'Cross-Origin Resource Sharing (CORS)',
    header: 'access-control-allow-origin',
    outcomes: {
      'cross-origin-resource-sharing-not-implemented': {
        points: 0,
        pass: true,
        applicable: false,
        description: 'Judged by the answer to a request from another origin, and no such request is made here.',
        recommendation: null,
      },
    },
  },
  redirection: {
    title: 'Redirection to HTTPS',
    header: null,
    outcomes: {
      'redirection-to-https': {
        points: 0,
        pass: true,
        description: 'Who comes by plain HTTP is led to HTTPS on the same host at once.',
        recommendation: null,
      },
      'redirection-not-needed-no-http': {
        points: 0,
        pass: true,
        applicable: false,
        description:
          'The address asked is HTTPS, so plain HTTP was not tried; ask the http:// address to have it judged.',
        recommendation: null,
      },
      'redirection-off-host-from-http': {
        points: -5,
        pass: false,
        description: 'Plain HTTP leads to HTTPS on another host, so the first host never gets to set HSTS for itself.',
        recommendation: `${sendRedirect}; go to the other host from there.`,
      },
      'redirection-not-to-https-on-initial-redirection': {
        points: -10,
        pass: false,
        description: 'The first redirect leads to plain HTTP again: one more answer that can be replaced on the way.',
        recommendation: sendRedirect,
      },
      'redirection-not-to-https': {
        points: -20,
        pass: false,
        description: 'The redirects end at plain HTTP, where everything can be read and replaced on the way.',
        recommendation: sendRedirect,
      },
      'redirection-missing': {
        points: -20,
        pass: false,
        description: 'Plain HTTP is answered as it is, so everything can be read and replaced on the way.',
        recommendation: sendRedirect,
      },
    },
  },
  'referrer-policy': {
    title: 'Referrer-Policy',
    header: 'referrer-policy',
    outcomes: {
      'referrer-policy-private': {
        points: 5,
        pass: true,
        description: 'Other sites learn at most the origin from which a link was followed.',
        recommendation: null,
      },
      'referrer-policy-not-implemented': {
        points: 0,
        pass: true,
        description: 'Nothing is said; browsers of today then behave as with strict-origin-when-cross-origin.',
        recommendation: sendReferrerPolicy,
      },
      'referrer-policy-unsafe': {
        points: -5,
        pass: false,
        description: 'Other sites, or who listens on plain HTTP, learn more of the address than they need.',
        recommendation: sendReferrerPolicy,
      },
      'referrer-policy-header-invalid': {
        points: -5,
        pass: false,
        description: 'The header holds no policy that browsers know, so they ignore it.',
        recommendation: sendReferrerPolicy,
      },
    },
  },
  'strict-transport-security': {
    title: 'Strict-Transport-Security (HSTS)',
    header: 'strict-transport-security',
    outcomes: {
      'hsts-implemented-max-age-at-least-six-months': {
        points: 0,
        pass: true,
        description: 'Browsers that were here once come back by HTTPS alone, for six months or longer.',
        recommendation: null,
      },
      'hsts-implemented-max-age-less-than-six-months': {
        points: -10,
        pass: false,
        description:
          'Browsers forget within six months, or with max-age=0 at once, that the site is to be asked by HTTPS alone.',
        recommendation: sendHsts,
      },
      'hsts-not-implemented': {
        points: -20,
        pass: false,
        description: 'Browsers may come by plain HTTP again, where an attacker on the way can keep them.',
        recommendation: sendHsts,
      },
      'hsts-header-invalid': {
        points: -20,
        pass: false,
        description: 'The header has no max-age that browsers can read, or was sent twice, so it cannot be relied on.',
        recommendation: sendHsts,
      },
      'hsts-not-implemented-no-https': {
        points: -20,
        pass: false,
        description: 'The page came by plain HTTP, where browsers ignore this header.',
        recommendation: `Serve the site by HTTPS. ${sendHsts}`,
      },
    },
  },
  'x-content-type-options': {
    title: 'X-Content-Type-Options',
    header: 'x-content-type-options',
    outcomes: {
      'x-content-type-options-nosniff': {
        points: 0,
        pass: true,
        description: 'Browsers take every file for what it is declared to be.',
        recommendation: null,
      },
      'x-content-type-options-not-implemented': {
        points: -5,
        pass: false,
        description: 'Browsers may guess the type of a file, and run as a script what was uploaded as something else.',
        recommendation: sendNosniff,
      },
      'x-content-type-options-header-invalid': {
        points: -5,
        pass: false,
        description: 'The header is not nosniff, sent once, so it cannot be relied on.',
        recommendation: sendNosniff,
      },
    },
  },
  'x-frame-options': {
    title: 'X-Frame-Options',
    header: 'x-frame-options',
    outcomes: {
      'x-frame-options-implemented-via-csp': {
        points: 5,
        pass: true,
        header: 'content-security-policy',
        description: 'frame-ancestors in the Content-Security-Policy says who may show the page in a frame.',
        recommendation: null,
      },
      'x-frame-options-sameorigin-or-deny': {
        points: 5,
        pass: true,
        description: 'Other sites cannot show the page in a frame and so trick visitors into clicks.',
        recommendation: null,
      },
      'x-frame-options-allow-from-origin': {
        points: 0,
        pass: true,
        description: 'ALLOW-FROM is obsolete: browsers ignore it, so every site can show the page in a frame.',
        recommendation: 'Send: Content-Security-Policy: frame-ancestors followed by the origins that may show the page',
      },
      'x-frame-options-not-implemented': {
        points: -20,
        pass: false,
        description: 'Every site can show the page in a frame and trick visitors into clicks on it (clickjacking).',
        recommendation: sendFrameOptions,
      },
      'x-frame-options-header-invalid': {
        points: -20,
        pass: false,
        description: 'The header is neither DENY nor SAMEORIGIN, sent once, so it cannot be relied on.',
        recommendation: sendFrameOptions,
      },
    },
  },
} as const satisfies Record<string, CheckRow>;

export type CheckId = keyof typeof checks;
export type OutcomeOf<Id extends CheckId> = keyof (typeof checks)[Id]['outcomes'];

export type Outcome = { [Id in CheckId]: OutcomeOf<Id> }[CheckId];

/** The rows of all checks; no two checks have an outcome of the same name. */
export const rows: Readonly<Record<Outcome, Row>> = Object.assign(
  {},
  ...Object.values(checks).map(({ outcomes }) => outcomes),
);

/** Where the Observatory is plainly mistaken, and is not followed. */
export const deviations: readonly string[] = [
  'A Strict-Transport-Security whose max-age is not a number (max-age=abc) is invalid; the Observatory takes it for six months or longer.',
  'A cookie that is sent to be deleted (Max-Age=0, or Expires in the last century) is not judged; the Observatory judges it like any other.',
];
