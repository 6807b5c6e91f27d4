/** Requests the response headers of a public site, follows its redirects, and grades the final response. */
import { type ErrorCode, errors, ServiceError } from '../../core/errors.ts';
import {
  formatBytes,
  maxInformationalResponses,
  maxRedirects,
  maxResponseHeaderBytes,
  targetTimeoutMs,
} from '../../core/limits.ts';
import type { OutboundFailure, OutboundResponse, Platform } from '../../core/platform.ts';
import { isRedirect, selfHeader } from '../outbound.ts';
import { grade } from './grade.ts';
import type { HeaderCheck, Hop } from './schema.ts';
import { type Permissions, type TargetContext, targetOf } from './target.ts';

const method = 'GET';

/** Sites choose their response by this header; browsers send the same for a page. */
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

export interface CheckOptions {
  /** The User-Agent of this service. */
  readonly userAgent: string;
  /** Its own hosts, which it does not request. */
  readonly ownHosts: readonly string[];
  readonly permitted?: Permissions;
  /** Further headers, in lower case, sent to the origin of the first URL until a redirect leaves it: they may contain a password. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request per hop and never reads a body. */
export async function headersCheck(
  url: string,
  platform: Platform,
  { userAgent, ownHosts, permitted, headers: added }: CheckOptions,
): Promise<HeaderCheck> {
  const beganMs = platform.now();
  // The bounds hold even if the clock is changed meanwhile.
  const elapsedMs = (): number => Math.min(Math.max(0, platform.now() - beganMs), targetTimeoutMs);
  const requested = targetOf(url, ownHosts, { permitted });
  let isFirstOrigin = true;
  const hops: Hop[] = [];
  for (let target = requested; ; ) {
    isFirstOrigin &&= target.origin === requested.origin;
    const response = await platform.fetchPublic({
      method,
      url: target.href,
      headers: { accept, 'user-agent': userAgent, ...(isFirstOrigin && added) },
      body: null,
      timeoutMs: targetTimeoutMs - elapsedMs(),
      maxBodyBytes: 0,
    });
    if ('failure' in response) throw targetError(...failures[response.failure], hops.length > 0);
    if (selfHeader.toLowerCase() in response.headers) throw targetError('invalid_target', undefined, hops.length > 0);
    const { status, setCookies } = response;
    const location = locationOf(response);
    hops.push({ url: target.href, status, location });
    if (location === null) {
      const checked = {
        url: requested.href,
        finalUrl: target.href,
        status,
        method,
        hops,
        headers: { ...response.headers },
        setCookies: [...setCookies],
      };
      return { ...checked, grade: grade(checked), elapsedMs: Math.round(elapsedMs()) };
    }
    if (hops.length > maxRedirects) throw new ServiceError('too_many_redirects');
    target = redirectTarget(location, ownHosts, { base: target, permitted });
  }
}

/** Null if the response is not a redirect with one target: it is the final response. Like browsers, ignores an empty Location. */
function locationOf({ status, headers, hasSeveralLocations }: OutboundResponse): string | null {
  return isRedirect(status) && !hasSeveralLocations ? headers.location || null : null;
}

function redirectTarget(location: string, ownHosts: readonly string[], context: TargetContext): URL {
  try {
    return targetOf(location, ownHosts, context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw targetError(error.code, error.message, true);
  }
}

/** Codes of targets that a lookup does not request. */
const notAllowed: readonly ErrorCode[] = ['invalid_url', 'invalid_target', 'blocked_address'];

function targetError(code: ErrorCode, message: string = errors[code].message, isRedirected: boolean): ServiceError {
  if (!isRedirected || code === 'overloaded') return new ServiceError(code, message);
  const context = notAllowed.includes(code)
    ? 'The target redirects to a URL that is not allowed.'
    : 'The target redirects to a URL that failed.';
  return new ServiceError(code, `${context} ${message}`);
}

const failures: Readonly<Record<OutboundFailure, [code: ErrorCode, message: string | undefined]>> = {
  blocked: ['blocked_address', undefined],
  own: ['invalid_target', undefined],
  unresolved: ['target_unreachable', 'The host name of the target has no address; check its spelling.'],
  unreachable: ['target_unreachable', undefined],
  certificate: ['invalid_certificate', undefined],
  timeout: ['target_timeout', undefined],
  overloaded: ['overloaded', undefined],
  too_large: [
    'target_unreachable',
    `The response headers of the target are larger than ${formatBytes(maxResponseHeaderBytes)}; send fewer.`,
  ],
  informational: [
    'target_unreachable',
    `The target sends more than ${maxInformationalResponses} informational responses (1xx) before the final one; send fewer.`,
  ],
};
