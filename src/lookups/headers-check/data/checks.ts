/** Points and texts for the site's owner, for each outcome of each check. */

export type OutcomeRow = readonly [
  /** Bonus or penalty. */
  points: number,
  description: string,
  /** What to send; by default, the `remedy` of the check, or null with a bonus. */
  recommendation?: string | null,
  exceptions?: Exceptions,
];

/** Members that do not follow from the rest of the row, or from the check. */
interface Exceptions {
  /** Whether nothing needs to change; by default, if there is no penalty. */
  readonly pass?: boolean;
  /** False if there was nothing to grade. */
  readonly applicable?: false;
  /** The graded header if it is not the header of the check. */
  readonly header?: string;
  /** Header line that fixes it for every site; by default, the `line` of the check if its `remedy` is recommended. */
  readonly suggestion?: string;
}

export type CheckRow = {
  readonly title: string;
  /** The graded header, in lower case; by default, the id of the check. */
  readonly header?: string;
  /** By their names in the HTTP Observatory. */
  readonly outcomes: Readonly<Record<string, OutcomeRow>>;
} & (
  | {
      /** Header line that every site can send. */
      readonly line: string;
      /** What to send; by default, the `line`. */
      readonly remedy?: string;
    }
  | {
      /** Absent if it depends on the response; `advice.ts` then has it. */
      readonly line?: undefined;
      /** What to send; null if nothing needs to be sent, whatever the outcome is. */
      readonly remedy: string | null;
    }
);

/** Everything from the site's own origin, and nothing else. */
export const ownOriginPolicy = [
  { name: 'default-src', sources: ["'none'"] },
  ...'script-src style-src img-src font-src connect-src media-src manifest-src frame-src object-src base-uri form-action'
    .split(' ')
    .map((name) => ({ name, sources: ["'self'"] })),
];
const embedderPolicyLine = 'Cross-Origin-Embedder-Policy-Report-Only: require-corp';
const openerPolicyLine = 'Cross-Origin-Opener-Policy: same-origin-allow-popups';
const resourcePolicyLine = 'Cross-Origin-Resource-Policy: same-origin';
const hstsLine = 'Strict-Transport-Security: max-age=63072000';
export const sendHsts = 'Blocks plain HTTP for the host, with includeSubDomains also for its subdomains. Send:';
const contentTypeLine = 'X-Content-Type-Options: nosniff';
const frameOptionsLine = 'X-Frame-Options: SAMEORIGIN';

const cookieEffects = 'HttpOnly blocks access by scripts, and SameSite most requests from other sites.';
const sendRedirect = 'Redirect plain HTTP: status 301 and Location: https:// followed by the same host and path';

/**
 * Algorithm 6 of the HTTP Observatory (August 2026) with its names and points, limited to what the headers of one page show,
 * without the preload list, certificates, CORS with another origin and subresource integrity.
 * https://github.com/mdn/mdn-http-observatory Last updated: 2026-11-21
 */
export const checks = {
  'content-security-policy': {
    title: 'Content-Security-Policy',
    remedy: 'Send a policy, first as Content-Security-Policy-Report-Only.',
    outcomes: {
      'csp-implemented-with-no-unsafe-default-src-none': [
        10,
        'The policy forbids everything by default, and allows no unsafe inline code, no eval, and no scripts from every host.',
      ],
      'csp-implemented-with-no-unsafe': [
        5,
        "The policy allows no unsafe inline code, no eval, and no scripts from every host, but its default is not 'none'.",
        "Begin the policy with default-src 'none' and list the sources of each content type that the site loads.",
      ],
      'csp-implemented-with-unsafe-inline-in-style-src-only': [
        0,
        'Scripts are restricted, but styles may be inline or come from almost any host.',
        "Move inline styles into files and send style-src 'self', or give each <style> a nonce that style-src names.",
      ],
      'csp-implemented-but-duplicate-directives': [
        0,
        'A report directive occurs twice in one policy; browsers honor only the first.',
        'Keep one report-uri and one report-to in the policy.',
      ],
      'csp-implemented-with-insecure-scheme-in-passive-content-only': [
        -10,
        'The policy allows images or media over plain HTTP, which can be read and replaced in transit.',
        'Use https: instead of http: in img-src and media-src.',
        { pass: true },
      ],
      'csp-implemented-with-unsafe-eval': [
        -10,
        "'unsafe-eval' lets the page run strings as code, so injected text can become a script.",
        "Remove 'unsafe-eval'; if WebAssembly needs it, use 'wasm-unsafe-eval'.",
      ],
      'csp-implemented-with-unsafe-inline': [
        -20,
        'script-src or object-src is missing or allows inline code, data: or almost any host, so the policy does not stop injected scripts.',
        "Send script-src 'self' or script-src 'nonce-…' 'strict-dynamic' with a new nonce for each response, and object-src 'self' or 'none'.",
      ],
      'csp-implemented-with-insecure-scheme': [
        -20,
        'The policy lets an HTTPS page load content over plain HTTP, which can be replaced in transit.',
        'Use https: instead of http: in every directive, including report directives.',
      ],
      'csp-header-invalid': [
        -25,
        "The policy is invalid: it is empty, repeats a directive, ends with a comma, or has 'strict-dynamic' without a nonce or hash.",
        'Send one policy with each directive once.',
      ],
      'csp-not-implemented': [
        -25,
        'No policy restricts scripts, so an injected script runs with all rights of the page.',
      ],
      'csp-not-implemented-but-reporting-enabled': [
        -25,
        'Content-Security-Policy-Report-Only reports violations, but stops nothing.',
        'When Content-Security-Policy-Report-Only reports no more violations, send its value as Content-Security-Policy.',
        { header: 'content-security-policy-report-only' },
      ],
    },
  },
  cookies: {
    title: 'Cookies',
    remedy: `${cookieEffects} Send: Set-Cookie: name=value; Secure; HttpOnly; SameSite=Lax`,
    // From the best to the worst; the last one found is that of all cookies.
    outcomes: {
      'cookies-secure-with-httponly-sessions-and-samesite': [
        5,
        'All cookies have Secure and SameSite, and those that the HTTP Observatory takes for sessions have HttpOnly.',
      ],
      'cookies-secure-with-httponly-sessions': [0, 'All cookies have Secure, but some lack SameSite.'],
      'cookies-not-found': [0, 'The response sets no cookie that is graded.', null, { applicable: false }],
      'cookies-without-secure-flag-but-protected-by-hsts': [
        -5,
        'A cookie lacks Secure. Only HSTS stops browsers from sending it over plain HTTP.',
      ],
      'cookies-without-secure-flag': [-20, 'A cookie lacks Secure, so it is also sent over plain HTTP, unencrypted.'],
      'cookies-session-without-secure-flag-but-protected-by-hsts': [
        -10,
        'A session cookie lacks Secure. Only HSTS stops browsers from sending it over plain HTTP.',
      ],
      'cookies-samesite-flag-invalid': [
        -20,
        'A cookie has an unknown SameSite value, or SameSite=None without Secure.',
        `${cookieEffects} Send: Set-Cookie: name=value; Secure; SameSite=Lax (or Strict); if other sites need the cookie: Secure; SameSite=None`,
      ],
      'cookies-anticsrf-without-samesite-flag': [
        -20,
        'A CSRF protection cookie lacks SameSite, the simplest defense against forged requests.',
        `${cookieEffects} Send: Set-Cookie: name=value; Secure; SameSite=Strict`,
      ],
      'cookies-session-without-httponly-flag': [
        -30,
        'A session cookie lacks HttpOnly, so an injected script can read it and take over the session.',
      ],
      'cookies-session-without-secure-flag': [
        -40,
        'A session cookie lacks Secure, so it is also sent over plain HTTP, where the session can be stolen.',
      ],
    },
  },
  'cross-origin-embedder-policy': {
    title: 'Cross-Origin-Embedder-Policy (COEP)',
    line: embedderPolicyLine,
    remedy: `Only reports what require-corp would block, such as frames without the header. Send: ${embedderPolicyLine}`,
    outcomes: {
      'coep-implemented-with-require-corp': [
        10,
        'The page embeds only cross-origin resources that explicitly permit it.',
      ],
      'coep-implemented-with-credentialless': [
        10,
        'The page loads cross-origin resources without cookies, so it embeds nothing private.',
      ],
      'coep-implemented-with-unsafe-none': [0, 'The page may embed any resource, as without the header.'],
      'coep-not-implemented': [0, 'The page may embed any cross-origin resource. Few sites need a stricter policy.'],
      'coep-header-invalid': [
        -5,
        'The header is invalid, so browsers ignore it; it must be one known lower-case token, sent once.',
        'Browsers apply unsafe-none; send require-corp only if everything that the page embeds permits it. Send: Cross-Origin-Embedder-Policy: unsafe-none',
        { suggestion: 'Cross-Origin-Embedder-Policy: unsafe-none' },
      ],
    },
  },
  'cross-origin-opener-policy': {
    title: 'Cross-Origin-Opener-Policy (COOP)',
    line: openerPolicyLine,
    remedy: `Blocks access by sites that open the page in a window. Send: ${openerPolicyLine}`,
    outcomes: {
      'coop-implemented-with-same-origin': [
        10,
        'Windows of other origins cannot access this page, and it cannot access them.',
      ],
      'coop-implemented-with-same-origin-allow-popups': [
        10,
        'Windows of other origins cannot access this page, except popups that it opens.',
      ],
      'coop-implemented-with-noopener-allow-popups': [
        10,
        'No window that opens this page can access it, not even one of its own origin.',
      ],
      'coop-implemented-with-unsafe-none': [0, 'Windows of other origins can access this page, as without the header.'],
      'coop-not-implemented': [
        0,
        'A site that opens this page can access its window and, for example, navigate it to another URL.',
      ],
      'coop-header-invalid': [
        -5,
        'The header is invalid, so browsers ignore it; it must be one known lower-case token, sent once.',
      ],
    },
  },
  'cross-origin-resource-policy': {
    title: 'Cross-Origin-Resource-Policy (CORP)',
    line: resourcePolicyLine,
    remedy: `Blocks embedding by other origins; same-site permits hosts of the site. Send: ${resourcePolicyLine}`,
    outcomes: {
      'corp-implemented-with-same-origin': [10, 'Pages of other origins cannot embed this response.'],
      'corp-implemented-with-same-site': [10, 'Pages of other sites cannot embed this response.'],
      'corp-implemented-with-cross-origin': [
        0,
        'Every page may embed this response; use it only for content meant to be embedded.',
        null,
      ],
      'corp-not-implemented': [
        0,
        'Pages of other sites may load this response as an image or script and infer its content.',
      ],
      'corp-header-invalid': [
        -5,
        'The header is invalid, so browsers ignore it; it must be same-origin, same-site or cross-origin, sent once.',
      ],
    },
  },
  'cross-origin-resource-sharing': {
    title: 'Cross-Origin Resource Sharing (CORS)',
    header: 'access-control-allow-origin',
    remedy: null,
    outcomes: {
      'cross-origin-resource-sharing-not-implemented': [
        0,
        'Grading requires a request from another origin, which this service does not send.',
        null,
        { applicable: false },
      ],
    },
  },
  redirection: {
    title: 'Redirection to HTTPS',
    remedy: sendRedirect,
    outcomes: {
      'redirection-to-https': [0, 'Plain HTTP redirects immediately to HTTPS on the same host.', null],
      'redirection-not-needed-no-http': [
        0,
        'The requested URL is HTTPS, so plain HTTP was not tested; check the http:// URL to grade it.',
        null,
        { applicable: false },
      ],
      'redirection-off-host-from-http': [
        -5,
        'Plain HTTP redirects to HTTPS on another host, so the first host cannot set HSTS for itself.',
        `${sendRedirect}. Redirect to the other host from there.`,
      ],
      'redirection-not-to-https-on-initial-redirection': [
        -10,
        'The first redirect goes to plain HTTP again, another response that can be replaced in transit.',
      ],
      'redirection-not-to-https': [
        -20,
        'The redirects end at plain HTTP, so everything can be read and replaced in transit.',
      ],
      'redirection-missing': [
        -20,
        'Plain HTTP does not redirect to HTTPS, so everything can be read and replaced in transit.',
      ],
    },
  },
  'referrer-policy': {
    title: 'Referrer-Policy',
    line: 'Referrer-Policy: strict-origin-when-cross-origin',
    outcomes: {
      'referrer-policy-private': [5, 'Other sites receive at most the origin of the page that links to them.'],
      'referrer-policy-not-implemented': [
        0,
        'The header is missing; current browsers then use strict-origin-when-cross-origin.',
      ],
      'referrer-policy-unsafe': [
        -5,
        'Other sites, or eavesdroppers on plain HTTP, receive more of the URL than necessary.',
      ],
      'referrer-policy-header-invalid': [-5, 'The header contains no known policy, so browsers ignore it.'],
    },
  },
  'strict-transport-security': {
    title: 'Strict-Transport-Security (HSTS)',
    line: hstsLine,
    remedy: `${sendHsts} ${hstsLine}`,
    outcomes: {
      'hsts-implemented-max-age-at-least-six-months': [
        0,
        'After one visit, browsers use only HTTPS for six months or longer.',
        null,
      ],
      'hsts-implemented-max-age-less-than-six-months': [
        -10,
        'After one visit, browsers use only HTTPS for less than six months, or not at all with max-age=0.',
      ],
      'hsts-not-implemented': [
        -20,
        'Browsers may return over plain HTTP, where an attacker in the network can intercept them.',
      ],
      'hsts-header-invalid': [-20, 'The header has no readable max-age or was sent twice, so it is not reliable.'],
      'hsts-not-implemented-no-https': [
        -20,
        'The page was sent over plain HTTP, where browsers ignore this header.',
        `Serve the site over HTTPS. ${sendHsts} ${hstsLine}`,
        { suggestion: hstsLine },
      ],
    },
  },
  'x-content-type-options': {
    title: 'X-Content-Type-Options',
    line: contentTypeLine,
    remedy: `Blocks scripts and styles with a wrong Content-Type. Send: ${contentTypeLine}`,
    outcomes: {
      'x-content-type-options-nosniff': [0, 'Browsers use the declared type of every file.', null],
      'x-content-type-options-not-implemented': [
        -5,
        'Browsers may guess the type of a file and run an upload of another type as a script.',
      ],
      'x-content-type-options-header-invalid': [
        -5,
        'The header is not nosniff, or was sent twice, so it is not reliable.',
      ],
    },
  },
  'x-frame-options': {
    title: 'X-Frame-Options',
    line: frameOptionsLine,
    remedy: `Blocks frames on other sites; to permit some, use frame-ancestors. Send: ${frameOptionsLine}`,
    outcomes: {
      'x-frame-options-implemented-via-csp': [
        5,
        'frame-ancestors in the Content-Security-Policy controls which sites may show the page in a frame.',
        null,
        { header: 'content-security-policy' },
      ],
      'x-frame-options-sameorigin-or-deny': [
        5,
        'Other sites cannot show the page in a frame and trick visitors into clicks.',
      ],
      'x-frame-options-allow-from-origin': [
        0,
        'ALLOW-FROM is obsolete: browsers ignore it, so every site can show the page in a frame.',
        'Blocks frames on all other sites. Send: Content-Security-Policy: frame-ancestors followed by the origins that may show the page',
      ],
      'x-frame-options-not-implemented': [
        -20,
        'Every site can show the page in a frame and trick visitors into clicks on it (clickjacking).',
      ],
      'x-frame-options-header-invalid': [
        -20,
        'The header is neither DENY nor SAMEORIGIN, or was sent twice, so it is not reliable.',
      ],
    },
  },
} as const satisfies Record<string, CheckRow>;

/** Differences from the Observatory where it is clearly wrong. */
export const deviations: readonly string[] = [
  'A Strict-Transport-Security whose max-age is not a number (max-age=abc) is invalid; the Observatory accepts it as six months or longer.',
  'A cookie that is sent only to delete it (Max-Age=0, or Expires in the past) is not graded; the Observatory grades it like any other.',
  'A cookie that browsers reject because its name begins with __Http- or __Host-Http- is not graded; the Observatory does not know these prefixes.',
];
