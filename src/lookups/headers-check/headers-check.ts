/** Asks a public site for its response headers, follows its redirects, and grades what it sends at the end. */
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import type { OutboundFailure, OutboundResponse, Platform } from '../../core/platform.ts';
import { isRedirect } from '../redirect.ts';
import { grade } from './grade.ts';
import type { HeaderCheck, Hop } from './header-check.ts';
import { targetOf } from './target.ts';

const method = 'GET';
const timeoutMs = 5_000;
const maxRedirects = 5;

/** What sites choose their answer by, as a browser asks for a page. */
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

/** Who asks: what targets are told, and the hosts that are the service itself. */
export interface Asker {
  readonly userAgent: string;
  readonly ownHosts: readonly string[];
}

/** `url` is null where it is missing or given more than once. One request for each hop; bodies are never read. */
export async function headersCheck(
  url: string | null,
  platform: Platform,
  { userAgent, ownHosts }: Asker,
): Promise<HeaderCheck> {
  if (url === null) throw new ServiceError('invalid_url', 'Give one url, such as ?url=https://example.com/.');
  const began = platform.now();
  // Whatever becomes of the clock meanwhile.
  const elapsed = (): number => Math.min(Math.max(0, platform.now() - began), timeoutMs);
  const asked = targetOf(url, ownHosts);
  const hops: Hop[] = [];
  for (let target = asked; ; ) {
    const response = await platform.fetchPublic({
      method,
      url: target.href,
      headers: { accept, 'user-agent': userAgent },
      body: null,
      timeoutMs: timeoutMs - elapsed(),
      maxBodyBytes: 0,
    });
    if ('failure' in response) throw new ServiceError(...failures[response.failure]);
    const { status, setCookies } = response;
    const location = locationOf(response);
    hops.push({ url: target.href, status, location });
    if (location === null) {
      const checked = {
        url: asked.href,
        finalUrl: target.href,
        status,
        method,
        hops,
        headers: { ...response.headers },
        setCookies: [...setCookies],
      };
      return { ...checked, grade: grade(checked), elapsedMs: Math.round(elapsed()) };
    }
    if (hops.length > maxRedirects) throw new ServiceError('too_many_redirects');
    target = redirectTarget(location, ownHosts, target);
  }
}

/** Null where the response is no redirect: it is the last. */
function locationOf({ status, headers }: OutboundResponse): string | null {
  return isRedirect(status) ? (headers.location ?? null) : null;
}

function redirectTarget(location: string, ownHosts: readonly string[], from: URL): URL {
  try {
    return targetOf(location, ownHosts, from);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `The target redirects to an address that is not asked. ${error.message}`);
  }
}

const failures: Readonly<Record<OutboundFailure, [code: ErrorCode, message?: string]>> = {
  blocked: ['blocked_address'],
  own: ['invalid_target'],
  unresolved: ['target_unreachable', 'The host name of the target has no address.'],
  unreachable: ['target_unreachable'],
  certificate: ['invalid_certificate'],
  timeout: ['target_timeout'],
  too_large: ['target_unreachable', 'The response headers of the target are larger than 32 KB.'],
};
