/**
 * Texts and header lines in place of those of an outcome, if they depend on the response, or if browsers differ from the HTTP Observatory,
 * which the grade follows.
 */
import { explainUnprotected, suggestCookies } from './cookies/cookie-advice.ts';
import { acceptsSecure } from './cookies/cookie-storage.ts';
import { sendHsts } from './data/checks.ts';
import { type CheckId, type Outcome, outcomes } from './outcomes.ts';
import {
  type Advice,
  type Adviser,
  adviseOnPolicy,
  explainFraming,
  suggestFrameAncestors,
} from './policy/csp-advice.ts';
import { blocksFrames, frameOptionsOf, isAllowFrom } from './policy/framing.ts';
import type { GradedResponse } from './schema.ts';
import { hstsProblemOf, hstsValuesOf, isAddress } from './transport-security.ts';

/** Returns nothing if the texts of the outcome fit. Advice on all outcomes of a check applies to those that recommend something. */
export function adviceOn(id: CheckId, outcome: Outcome, response: GradedResponse): Advice {
  if (id === 'content-security-policy') return adviseOnPolicy(response);
  if (requiresHttps(id) && !acceptsSecure(response.finalUrl)) return explainPlainHttp(outcome);
  const advise = advice[outcome] ?? (outcomes[outcome].recommendation === null ? undefined : advice[id]);
  return advise?.(response) ?? {};
}

/** Headers that browsers honor only in a secure context (HTML §7.1.3 and §7.1.4). */
const requiresHttps = (id: CheckId): boolean =>
  id === 'cross-origin-embedder-policy' || id === 'cross-origin-opener-policy';

function explainPlainHttp(outcome: Outcome): Advice {
  const { points, recommendation } = outcomes[outcome];
  if (recommendation !== null) return { recommendation: `Requires HTTPS. ${recommendation}` };
  return {
    recommendation: 'Serve the site over HTTPS.',
    ...(points > 0 && {
      description: 'The HTTP Observatory counts this header, but over plain HTTP, browsers ignore it.',
    }),
  };
}

/** Advice on one outcome, or on all outcomes of a check. */
const advice: { readonly [Each in CheckId | Outcome]?: Adviser } = {
  cookies: suggestCookies,
  'cookies-without-secure-flag-but-protected-by-hsts': explainUnprotected('A cookie'),
  'cookies-session-without-secure-flag-but-protected-by-hsts': explainUnprotected('A session cookie'),
  'corp-header-invalid': suggestPublicResource,
  'corp-not-implemented': suggestPublicResource,
  'corp-implemented-with-same-origin': explainIgnoredResourcePolicy,
  'corp-implemented-with-same-site': explainIgnoredResourcePolicy,
  'corp-implemented-with-cross-origin': explainIgnoredResourcePolicy,
  'hsts-header-invalid': explainInvalidHsts,
  'hsts-implemented-max-age-at-least-six-months': explainIgnoredHsts,
  'hsts-implemented-max-age-less-than-six-months': explainShortHsts,
  redirection: suggestRedirect,
  'x-content-type-options-header-invalid': explainContentTypeOptions,
  'x-frame-options-allow-from-origin': explainFraming(suggestFrameAncestors),
  'x-frame-options-header-invalid': explainFraming(explainFrameOptions),
  'x-frame-options-not-implemented': explainFraming(() => ({})),
  'x-frame-options-sameorigin-or-deny': explainFraming(
    () => ({}),
    () => ({}),
  ),
};

/** What every site may read, every site may also embed today, for example a font or an image of a CDN. */
function suggestPublicResource({ headers }: GradedResponse): Advice {
  if (headers['access-control-allow-origin']?.trim() !== '*') return {};
  const line = 'Cross-Origin-Resource-Policy: cross-origin';
  return {
    recommendation: `Every site may read this response (Access-Control-Allow-Origin: *), so permit it to embed it too. Send: ${line}`,
    suggestion: line,
  };
}

/** Fetch §3.8 compares the value with the case of its letters. */
function explainIgnoredResourcePolicy({ headers }: GradedResponse): Advice {
  const value = headers['cross-origin-resource-policy']?.trim() ?? '';
  const line = `Cross-Origin-Resource-Policy: ${value.toLowerCase()}`;
  if (line.endsWith(value)) return {};
  return {
    description: 'The HTTP Observatory accepts this value, but browsers ignore the header: it must be lower case.',
    recommendation: `Send: ${line}`,
    suggestion: line,
  };
}

function explainIgnoredHsts(response: GradedResponse): Advice {
  const problem = hstsProblemOf(response);
  if (problem === null) return {};
  return {
    description: `The HTTP Observatory accepts this value, but browsers ignore the header: ${problem}.`,
    ...suggestHsts(response),
  };
}

function explainShortHsts(response: GradedResponse): Advice {
  return { ...suggestHsts(response), ...explainIgnoredHsts(response) };
}

/** Keeps the other directives that the header names. */
function suggestHsts(response: GradedResponse): Advice {
  if (isAddress(response)) return {};
  const value = response.headers['strict-transport-security'] ?? '';
  const others = ['includeSubDomains', 'preload'].filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(value));
  const line = `Strict-Transport-Security: ${['max-age=63072000', ...others].join('; ')}`;
  return { recommendation: `${sendHsts} ${line}`, suggestion: line };
}

function explainInvalidHsts(response: GradedResponse): Advice {
  const value = response.headers['strict-transport-security'] ?? '';
  const problem = hstsProblemOf(response);
  const advice = suggestHsts(response);
  if (problem !== null)
    return value === '' ? {} : { ...advice, description: `Browsers ignore the header: ${problem}.` };
  if (hstsValuesOf(value).length > 1)
    return {
      ...advice,
      description:
        'The header was sent more than once: browsers honor the first one, but the HTTP Observatory counts it as invalid.',
    };
  return {
    ...advice,
    description: value.includes(',')
      ? 'A comma stands in place of a semicolon: browsers honor max-age, but ignore the directives next to the comma.'
      : 'Browsers honor this value, but the HTTP Observatory counts it as invalid because of the spaces around the equals sign.',
  };
}

function explainFrameOptions(response: GradedResponse): Advice {
  const { headers } = response;
  if (isAllowFrom(headers)) return suggestFrameAncestors(response);
  const values = frameOptionsOf(headers);
  const isBlocking = blocksFrames(headers);
  if (!isBlocking && !values.has('sameorigin')) return {};
  const line = `X-Frame-Options: ${isBlocking ? 'DENY' : 'SAMEORIGIN'}`;
  return {
    description:
      values.size === 1
        ? 'The header was sent more than once: browsers honor the repeated value, but the HTTP Observatory counts it as invalid.'
        : 'The header was sent with different values: browsers then block every frame, but the HTTP Observatory counts it as invalid.',
    recommendation: `Send the header only once: ${line}`,
    suggestion: line,
  };
}

function explainContentTypeOptions({ headers }: GradedResponse): Advice {
  // Fetch §3.6: the first value counts.
  const [first = ''] = (headers['x-content-type-options'] ?? '').split(',');
  if (first.trim().toLowerCase() !== 'nosniff') return {};
  return {
    description:
      'The header was sent more than once: browsers honor the first value, but the HTTP Observatory counts it as invalid.',
    recommendation: 'Send the header only once: X-Content-Type-Options: nosniff',
  };
}

/** Same host and path, over HTTPS; not if that URL leads to plain HTTP itself, which would be a loop. */
function suggestRedirect({ hops }: GradedResponse): Advice {
  const plain = hops.find(({ url }) => url.startsWith('http:'))?.url ?? '';
  const url = URL.parse(plain);
  if (url === null) return {};
  url.protocol = 'https:';
  url.port = '';
  if (hops.some((hop, at) => hop.url === url.href && hops[at + 1]?.url === plain))
    return {
      recommendation: `${url.href} redirects to plain HTTP: end that redirect first, and then redirect plain HTTP to HTTPS.`,
      suggestion: null,
    };
  return { suggestion: `Location: ${url.href}` };
}
