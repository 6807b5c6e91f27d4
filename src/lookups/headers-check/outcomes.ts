/** Outcomes of each check: points, and texts for the site's owner. */

interface OutcomeRow {
  /** Bonus or penalty. */
  readonly points: number;
  /** Whether nothing needs to change; by default, if there is no penalty. */
  readonly pass?: boolean;
  /** False if there was nothing to grade. */
  readonly applicable?: false;
  /** The graded header if it is not the header of the check. */
  readonly header?: string;
  readonly description: string;
  /** What to send; by default, the `remedy` of the check, or null with a bonus or if there was nothing to grade. */
  readonly recommendation?: string | null;
  /** Header line that fixes it for every site if it is not the `line` of the check. */
  readonly suggestion?: string;
}

interface CheckRow {
  readonly title: string;
  /** The graded header, in lower case; by default, the id of the check. */
  readonly header?: string;
  /** Header line that every site can send; absent if it depends on the response. */
  readonly line?: string | null;
  /** What to send; by default, the `line`. */
  readonly remedy?: string;
  readonly outcomes: Readonly<Record<string, OutcomeRow>>;
}

export const policyLine =
  "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const embedderPolicyLine = 'Cross-Origin-Embedder-Policy: require-corp';
const resourcePolicyLine = 'Cross-Origin-Resource-Policy: same-origin';
export const hstsLine = 'Strict-Transport-Security: max-age=63072000; includeSubDomains';
const frameOptionsLine = 'X-Frame-Options: DENY';

export const sendHsts = `Send: ${hstsLine}`;
const sendRedirect = 'Redirect plain HTTP: status 301 and Location: https:// followed by the same host and path';

/**
 * Algorithm 6 of the HTTP Observatory (August 2026) with its names and points, limited to what the headers of one page show,
 * without the preload list, certificates, CORS with another origin and subresource integrity.
 * https://github.com/mdn/mdn-http-observatory Last updated: 2026-11-21
 */
export const checks = {
  'content-security-policy': {
    title: 'Content-Security-Policy',
    line: policyLine,
    remedy: `Start with this policy and add the sources that the site needs: ${policyLine}`,
    outcomes: {
      'csp-implemented-with-no-unsafe-default-src-none': {
        points: 10,
        description: 'The policy forbids everything by default and allows nothing unsafe.',
      },
      'csp-implemented-with-no-unsafe': {
        points: 5,
        description: "The policy allows nothing unsafe, but its default is not 'none'.",
        recommendation:
          "Begin the policy with default-src 'none' and list the sources of each content type that the site loads.",
      },
      'csp-implemented-with-unsafe-inline-in-style-src-only': {
        points: 0,
        description: 'Scripts are restricted, but styles may be inline or come from almost any host.',
        recommendation:
          "Move inline styles into files and send style-src 'self', or give each <style> a nonce that style-src names.",
      },
      'csp-implemented-but-duplicate-directives': {
        points: 0,
        description: 'A report directive occurs twice in one policy; browsers honor only the first.',
        recommendation: 'Keep one report-uri and one report-to in the policy.',
      },
      'csp-implemented-with-insecure-scheme-in-passive-content-only': {
        points: -10,
        pass: true,
        description: 'The policy allows images or media over plain HTTP, which can be read and replaced in transit.',
        recommendation: 'Use https: instead of http: in img-src and media-src.',
      },
      'csp-implemented-with-unsafe-eval': {
        points: -10,
        description: "'unsafe-eval' lets the page run strings as code, so injected text can become a script.",
        recommendation: "Remove 'unsafe-eval'; if WebAssembly needs it, use 'wasm-unsafe-eval'.",
      },
      'csp-implemented-with-unsafe-inline': {
        points: -20,
        description:
          'script-src or object-src is missing or allows inline code, data: or almost any host, so the policy does not stop injected scripts.',
        recommendation:
          "Send script-src 'self' or script-src 'nonce-…' 'strict-dynamic' with a new nonce for each response, and object-src 'none'.",
      },
      'csp-implemented-with-insecure-scheme': {
        points: -20,
        description: 'The policy lets an HTTPS page load content over plain HTTP, which can be replaced in transit.',
        recommendation: 'Use https: instead of http: in every directive, including report directives.',
      },
      'csp-header-invalid': {
        points: -25,
        description:
          "The policy is invalid: it is empty, repeats a directive, ends with a comma, or has 'strict-dynamic' without a nonce or hash.",
      },
      'csp-not-implemented': {
        points: -25,
        description: 'No policy restricts scripts, so an injected script runs with all rights of the page.',
      },
      'csp-not-implemented-but-reporting-enabled': {
        points: -25,
        header: 'content-security-policy-report-only',
        description: 'Content-Security-Policy-Report-Only reports violations, but stops nothing.',
        recommendation: 'When it reports no more violations, send the same value as Content-Security-Policy.',
      },
    },
  },
  cookies: {
    title: 'Cookies',
    remedy: 'Send: Set-Cookie: name=value; Secure; HttpOnly; SameSite=Lax',
    outcomes: {
      'cookies-secure-with-httponly-sessions-and-samesite': {
        points: 5,
        description: 'All cookies have Secure and SameSite, and session-like cookies have HttpOnly.',
      },
      'cookies-secure-with-httponly-sessions': {
        points: 0,
        description: 'All cookies have Secure, but some lack SameSite.',
      },
      'cookies-not-found': {
        points: 0,
        applicable: false,
        description: 'The response sets no cookie that a browser stores.',
      },
      'cookies-without-secure-flag-but-protected-by-hsts': {
        points: -5,
        description: 'A cookie lacks Secure. Only HSTS stops browsers from sending it over plain HTTP.',
      },
      'cookies-session-without-secure-flag-but-protected-by-hsts': {
        points: -10,
        description: 'A session cookie lacks Secure. Only HSTS stops browsers from sending it over plain HTTP.',
      },
      'cookies-without-secure-flag': {
        points: -20,
        description: 'A cookie lacks Secure, so it is also sent over plain HTTP, unencrypted.',
      },
      'cookies-samesite-flag-invalid': {
        points: -20,
        description: 'A cookie has an unknown SameSite value, or SameSite=None without Secure.',
        recommendation:
          'Send: Set-Cookie: name=value; Secure; SameSite=Lax (or Strict); if other sites need the cookie: Secure; SameSite=None',
      },
      'cookies-anticsrf-without-samesite-flag': {
        points: -20,
        description: 'A CSRF protection cookie lacks SameSite, the simplest defense against forged requests.',
        recommendation: 'Send: Set-Cookie: name=value; Secure; SameSite=Strict',
      },
      'cookies-session-without-httponly-flag': {
        points: -30,
        description: 'A session cookie lacks HttpOnly, so an injected script can read it and take over the session.',
      },
      'cookies-session-without-secure-flag': {
        points: -40,
        description:
          'A session cookie lacks Secure, so it is also sent over plain HTTP, where the session can be stolen.',
      },
    },
  },
  'cross-origin-embedder-policy': {
    title: 'Cross-Origin-Embedder-Policy (COEP)',
    line: embedderPolicyLine,
    remedy: `Send this when everything the page embeds permits it: ${embedderPolicyLine}`,
    outcomes: {
      'coep-implemented-with-require-corp': {
        points: 10,
        description: 'The page embeds only cross-origin resources that explicitly permit it.',
      },
      'coep-implemented-with-credentialless': {
        points: 10,
        description: 'The page loads cross-origin resources without cookies, so it embeds nothing private.',
      },
      'coep-implemented-with-unsafe-none': {
        points: 0,
        description: 'The page may embed any resource, as without the header.',
      },
      'coep-not-implemented': {
        points: 0,
        description: 'The page may embed any cross-origin resource. Few sites need a stricter policy.',
      },
      'coep-header-invalid': {
        points: -5,
        description: 'The header is invalid, so browsers ignore it; it must be one known lower-case token, sent once.',
      },
    },
  },
  'cross-origin-opener-policy': {
    title: 'Cross-Origin-Opener-Policy (COOP)',
    line: 'Cross-Origin-Opener-Policy: same-origin',
    outcomes: {
      'coop-implemented-with-same-origin': {
        points: 10,
        description: 'Windows of other origins cannot access this page, and it cannot access them.',
      },
      'coop-implemented-with-same-origin-allow-popups': {
        points: 10,
        description: 'Windows of other origins cannot access this page, except popups that it opens.',
      },
      'coop-implemented-with-noopener-allow-popups': {
        points: 10,
        description: 'No window that opens this page can access it, not even one of its own origin.',
      },
      'coop-implemented-with-unsafe-none': {
        points: 0,
        description: 'Windows of other origins can access this page, as without the header.',
      },
      'coop-not-implemented': {
        points: 0,
        description: 'A site that opens this page can access its window and, for example, navigate it to another URL.',
      },
      'coop-header-invalid': {
        points: -5,
        description: 'The header is invalid, so browsers ignore it; it must be one known lower-case token, sent once.',
      },
    },
  },
  'cross-origin-resource-policy': {
    title: 'Cross-Origin-Resource-Policy (CORP)',
    line: resourcePolicyLine,
    remedy: `Send: ${resourcePolicyLine} (or same-site)`,
    outcomes: {
      'corp-implemented-with-same-origin': {
        points: 10,
        description: 'Pages of other origins cannot embed this response.',
      },
      'corp-implemented-with-same-site': {
        points: 10,
        description: 'Pages of other sites cannot embed this response.',
      },
      'corp-implemented-with-cross-origin': {
        points: 0,
        description: 'Every page may embed this response; use it only for content meant to be embedded.',
        recommendation: null,
      },
      'corp-not-implemented': {
        points: 0,
        description: 'Pages of other sites may load this response as an image or script and infer its content.',
      },
      'corp-header-invalid': {
        points: -5,
        description:
          'The header is invalid, so browsers ignore it; it must be same-origin, same-site or cross-origin, sent once.',
      },
    },
  },
  'cross-origin-resource-sharing': {
    title: 'Cross-Origin Resource Sharing (CORS)',
    header: 'access-control-allow-origin',
    outcomes: {
      'cross-origin-resource-sharing-not-implemented': {
        points: 0,
        applicable: false,
        description: 'Grading requires a request from another origin, which this service does not send.',
      },
    },
  },
  redirection: {
    title: 'Redirection to HTTPS',
    remedy: sendRedirect,
    outcomes: {
      'redirection-to-https': {
        points: 0,
        description: 'Plain HTTP redirects immediately to HTTPS on the same host.',
        recommendation: null,
      },
      'redirection-not-needed-no-http': {
        points: 0,
        applicable: false,
        description: 'The requested URL is HTTPS, so plain HTTP was not tested; check the http:// URL to grade it.',
      },
      'redirection-off-host-from-http': {
        points: -5,
        description: 'Plain HTTP redirects to HTTPS on another host, so the first host cannot set HSTS for itself.',
        recommendation: `${sendRedirect}. Redirect to the other host from there.`,
      },
      'redirection-not-to-https-on-initial-redirection': {
        points: -10,
        description: 'The first redirect goes to plain HTTP again, another response that can be replaced in transit.',
      },
      'redirection-not-to-https': {
        points: -20,
        description: 'The redirects end at plain HTTP, so everything can be read and replaced in transit.',
      },
      'redirection-missing': {
        points: -20,
        description: 'Plain HTTP does not redirect to HTTPS, so everything can be read and replaced in transit.',
      },
    },
  },
  'referrer-policy': {
    title: 'Referrer-Policy',
    line: 'Referrer-Policy: strict-origin-when-cross-origin',
    outcomes: {
      'referrer-policy-private': {
        points: 5,
        description: 'Other sites receive at most the origin of the page that links to them.',
      },
      'referrer-policy-not-implemented': {
        points: 0,
        description: 'The header is missing; current browsers then use strict-origin-when-cross-origin.',
      },
      'referrer-policy-unsafe': {
        points: -5,
        description: 'Other sites, or eavesdroppers on plain HTTP, receive more of the URL than necessary.',
      },
      'referrer-policy-header-invalid': {
        points: -5,
        description: 'The header contains no known policy, so browsers ignore it.',
      },
    },
  },
  'strict-transport-security': {
    title: 'Strict-Transport-Security (HSTS)',
    line: hstsLine,
    outcomes: {
      'hsts-implemented-max-age-at-least-six-months': {
        points: 0,
        description: 'After one visit, browsers use only HTTPS for six months or longer.',
        recommendation: null,
      },
      'hsts-implemented-max-age-less-than-six-months': {
        points: -10,
        description: 'After one visit, browsers use only HTTPS for less than six months, or not at all with max-age=0.',
      },
      'hsts-not-implemented': {
        points: -20,
        description: 'Browsers may return over plain HTTP, where an attacker in the network can intercept them.',
      },
      'hsts-header-invalid': {
        points: -20,
        description: 'The header has no readable max-age or was sent twice, so it is not reliable.',
      },
      'hsts-not-implemented-no-https': {
        points: -20,
        description: 'The page was sent over plain HTTP, where browsers ignore this header.',
        recommendation: `Serve the site over HTTPS. ${sendHsts}`,
        suggestion: hstsLine,
      },
    },
  },
  'x-content-type-options': {
    title: 'X-Content-Type-Options',
    line: 'X-Content-Type-Options: nosniff',
    outcomes: {
      'x-content-type-options-nosniff': {
        points: 0,
        description: 'Browsers use the declared type of every file.',
        recommendation: null,
      },
      'x-content-type-options-not-implemented': {
        points: -5,
        description: 'Browsers may guess the type of a file and run an upload of another type as a script.',
      },
      'x-content-type-options-header-invalid': {
        points: -5,
        description: 'The header is not nosniff, or was sent twice, so it is not reliable.',
      },
    },
  },
  'x-frame-options': {
    title: 'X-Frame-Options',
    line: frameOptionsLine,
    remedy: `Send: ${frameOptionsLine} (or SAMEORIGIN), and in the Content-Security-Policy: frame-ancestors 'none' (or 'self')`,
    outcomes: {
      'x-frame-options-implemented-via-csp': {
        points: 5,
        header: 'content-security-policy',
        description:
          'frame-ancestors in the Content-Security-Policy controls which sites may show the page in a frame.',
      },
      'x-frame-options-sameorigin-or-deny': {
        points: 5,
        description: 'Other sites cannot show the page in a frame and trick visitors into clicks.',
      },
      'x-frame-options-allow-from-origin': {
        points: 0,
        description: 'ALLOW-FROM is obsolete: browsers ignore it, so every site can show the page in a frame.',
        recommendation: 'Send: Content-Security-Policy: frame-ancestors followed by the origins that may show the page',
      },
      'x-frame-options-not-implemented': {
        points: -20,
        description: 'Every site can show the page in a frame and trick visitors into clicks on it (clickjacking).',
      },
      'x-frame-options-header-invalid': {
        points: -20,
        description: 'The header is neither DENY nor SAMEORIGIN, or was sent twice, so it is not reliable.',
      },
    },
  },
} as const satisfies Record<string, CheckRow>;

export type CheckId = keyof typeof checks;
export type OutcomeOf<Id extends CheckId> = keyof (typeof checks)[Id]['outcomes'];
export type Outcome = { [Id in CheckId]: OutcomeOf<Id> }[CheckId];

type CompleteRow = Required<Omit<OutcomeRow, 'suggestion'>> & { readonly suggestion: string | null };

/** All outcomes of all checks with their defaults; their names are unique. */
export const outcomes = Object.fromEntries(
  Object.entries<CheckRow>(checks).flatMap(([id, check]) =>
    Object.entries(check.outcomes).map(([name, row]) => [name, completeRow(id, check, row)]),
  ),
) as Readonly<Record<Outcome, CompleteRow>>;

function completeRow(id: string, { header = id, line = null, remedy = `Send: ${line}` }: CheckRow, row: OutcomeRow) {
  const needsRemedy = row.recommendation === undefined && row.points <= 0 && row.applicable !== false;
  const defaults = { recommendation: needsRemedy ? remedy : null, suggestion: needsRemedy ? line : null };
  return { pass: row.points >= 0, applicable: true, header, ...defaults, ...row };
}

/** Differences from the Observatory where it is clearly wrong. */
export const deviations: readonly string[] = [
  'A Strict-Transport-Security whose max-age is not a number (max-age=abc) is invalid; the Observatory accepts it as six months or longer.',
  'A cookie that is sent only to delete it (Max-Age=0, or Expires in the last century) is not graded; the Observatory grades it like any other.',
];
