/** Suggests the exact header lines that fix an outcome. */
import { clip } from '../../core/text.ts';
import { broad, contentSecurityPolicy, isNonceOrHash } from './checks/content-security-policy.ts';
import { isSessionName, nameAndValue, parseCookie } from './checks/cookies.ts';
import { isSessionLike } from './notes/cookie-notes.ts';
import { directivesOf, type PolicyDirective, syntaxNotes } from './notes/csp-syntax.ts';
import { type CheckId, type Outcome, outcomes, policyLine } from './outcomes.ts';
import type { GradedResponse } from './schema.ts';

/** Null if no single header fixes it, or nothing needs to change. */
export function suggest(id: CheckId, outcome: Outcome, response: GradedResponse): string | null {
  const { recommendation, suggestion } = outcomes[outcome];
  if (recommendation === null) return null;
  return (suggestions[outcome] ?? suggestions[id])?.(response) ?? suggestion;
}

/** Suggestions that depend on the response, for one outcome or for all outcomes of a check. */
const suggestions: { readonly [Each in CheckId | Outcome]?: (response: GradedResponse) => string | null } = {
  'csp-implemented-with-unsafe-inline': suggestPolicy,
  'csp-implemented-with-unsafe-eval': suggestPolicy,
  'csp-implemented-with-insecure-scheme': suggestPolicy,
  'csp-implemented-with-insecure-scheme-in-passive-content-only': suggestPolicy,
  'csp-not-implemented-but-reporting-enabled': suggestPolicy,
  cookies: suggestCookies,
  redirection: suggestRedirect,
  'x-frame-options-allow-from-origin': suggestFrameAncestors,
};

/** A longer policy is replaced by the recommended one. */
const maxPolicyLength = 2000;

/** The policy as sent without its unsafe sources, or the recommended policy if that is not enough or it has mistakes. */
function suggestPolicy({ finalUrl, headers, ...response }: GradedResponse): string {
  const value = headers['content-security-policy'] ?? headers['content-security-policy-report-only'] ?? '';
  if (value.length > maxPolicyLength || value.includes(',')) return policyLine;
  if (syntaxNotes(value).some(({ level }) => level === 'warning')) return policyLine;
  const fixed = removeUnsafeSources(directivesOf(value));
  const text = fixed.map(({ name, sources }) => [name, ...sources].join(' ')).join('; ');
  const { outcome } = contentSecurityPolicy({
    ...response,
    finalUrl: finalUrl.replace(/^http:/, 'https:'),
    headers: { 'content-security-policy': text },
  });
  return outcomes[outcome].points >= 0 ? `Content-Security-Policy: ${text}` : policyLine;
}

function removeUnsafeSources(directives: readonly PolicyDirective[]): readonly PolicyDirective[] {
  const secured = directives.map(({ name, sources }) => ({
    name,
    sources: sources
      .filter((source) => source.toLowerCase() !== "'unsafe-eval'")
      .map((source) => source.replace(/^http:(?=\/\/|$)/i, 'https:')),
  }));
  const find = (name: string) => secured.find((directive) => directive.name === name)?.sources;
  const fallback = find('default-src');
  const replaced = new Map<string, readonly string[]>([
    ['script-src', restrictScripts(find('script-src') ?? fallback ?? [])],
    ['object-src', ["'none'"]],
  ]);
  // A plugin directive that allows little can stay, and default-src 'none' covers both.
  const objects = find('object-src') ?? fallback ?? ['*'];
  if (!objects.some((source) => broad.has(source.toLowerCase()))) replaced.delete('object-src');
  if (find('script-src') === undefined && fallback !== undefined && !fallback.some(isUnsafeForScripts))
    replaced.delete('script-src');
  return [
    ...secured.map(({ name, sources }) => ({ name, sources: replaced.get(name) ?? sources })),
    ...[...replaced].filter(([name]) => find(name) === undefined).map(([name, sources]) => ({ name, sources })),
  ];
}

const isUnsafeForScripts = (source: string): boolean =>
  /^(?:'unsafe-inline'|'strict-dynamic'|data:)$/i.test(source) || broad.has(source.toLowerCase());

/** Next to a nonce or hash, browsers ignore 'unsafe-inline' and need it for 'strict-dynamic'. */
function restrictScripts(sources: readonly string[]): readonly string[] {
  const hasNonce = sources.some(isNonceOrHash);
  const kept = sources.filter(
    (source) => !isUnsafeForScripts(source) || (hasNonce && /^'(?:unsafe-inline|strict-dynamic)'$/i.test(source)),
  );
  return kept.length === 0 ? ["'self'"] : kept;
}

/** Cookies with a line of their own. */
const maxCookies = 5;
/** Attributes of a cookie that are repeated. */
const maxAttributes = 10;

/** One line for each cookie that lacks an attribute, without its value. */
function suggestCookies({ setCookies }: GradedResponse): string | null {
  const lines = setCookies.map(completeCookie).filter((line) => line !== null);
  return lines.length === 0 ? null : lines.slice(0, maxCookies).join('\n');
}

/** The cookie with all recommended attributes; null if it has them. */
function completeCookie(setCookie: string): string | null {
  const { name, secure, httpOnly, sameSite } = parseCookie(setCookie);
  if (name === '') return null;
  const needsHttpOnly = !httpOnly && (isSessionName(name) || isSessionLike(name));
  if (secure && sameSite !== null && !needsHttpOnly) return null;
  const valid = sameSite?.replace(/^./, (letter) => letter.toUpperCase());
  // Browsers reject __Host- with a Domain or another path.
  const isHost = /^__host-/i.test(name);
  const replaced = ['', 'secure', 'httponly', 'samesite', ...(isHost ? ['path', 'domain'] : [])];
  const [, ...attributes] = setCookie.split(';').map((part) => part.trim());
  const others = attributes.filter((attribute) => !replaced.includes(nameAndValue(attribute)[0]));
  return [
    `Set-Cookie: ${clip(name)}=…`,
    ...(isHost ? ['Path=/'] : []),
    ...others.slice(0, maxAttributes).map((attribute) => clip(attribute)),
    'Secure',
    ...(httpOnly || needsHttpOnly ? ['HttpOnly'] : []),
    `SameSite=${valid ?? (/csrf/i.test(name) ? 'Strict' : 'Lax')}`,
  ].join('; ');
}

/** Same host and path, over HTTPS. */
function suggestRedirect({ hops }: GradedResponse): string | null {
  const url = URL.parse(hops.find(({ url }) => url.startsWith('http:'))?.url ?? '');
  if (url === null) return null;
  url.protocol = 'https:';
  url.port = '';
  return `Location: ${url.href}`;
}

/** The origin of ALLOW-FROM in the directive that replaces it, added to the policy. */
function suggestFrameAncestors({ headers }: GradedResponse): string {
  const [origin = "'self'"] = /\bhttps?:\/\/[\w.:[\]-]+/i.exec(headers['x-frame-options'] ?? '') ?? [];
  const policy = headers['content-security-policy'] ?? '';
  if (policy.length > maxPolicyLength || policy.includes(','))
    return `Content-Security-Policy: frame-ancestors ${origin}`;
  const directives = directivesOf(policy).map(({ name, sources }) => [name, ...sources].join(' '));
  return `Content-Security-Policy: ${[...directives, `frame-ancestors ${origin}`].join('; ')}`;
}
