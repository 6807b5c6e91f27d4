/** Requests the response headers of a public site, follows its redirects, and grades the final response. */
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import {
  formatBytes,
  maxInformationalResponses,
  maxRedirects,
  maxResponseHeaderBytes,
  targetTimeoutMs,
} from '../../core/limits.ts';
import type { OutboundFailure, OutboundResponse, OutboundResult, Platform } from '../../core/platform.ts';
import { isRedirect, selfHeader } from '../outbound.ts';
import { grade } from './grade.ts';
import type { HeaderCheck, Hop } from './schema.ts';
import { type TargetOptions, targetOf } from './target.ts';

const method = 'GET';

/** Sites choose their response by this header; browsers send the same for a page. */
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

interface CheckOptions extends TargetOptions {
  /** The User-Agent of this service. */
  readonly userAgent: string;
  /** Further headers, in lower case, sent to the origin of the first URL until a redirect leaves it: they may contain a password. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request per hop and never reads a body. */
export async function headersCheck(url: string, platform: Platform, options: CheckOptions): Promise<HeaderCheck> {
  const beganMs = platform.now();
  // The bounds apply even if the clock is changed meanwhile.
  const elapsedMs = (): number => Math.min(Math.max(0, platform.now() - beganMs), targetTimeoutMs);
  const requested = targetOf(url, options);
  let isFirstOrigin = true;
  const hops: Hop[] = [];
  try {
    for (let target = requested; ; ) {
      isFirstOrigin &&= target.origin === requested.origin;
      const response = await platform.fetchPublic({
        method,
        url: target.href,
        headers: { accept, 'user-agent': options.userAgent, ...(isFirstOrigin && options.headers) },
        body: null,
        timeoutMs: targetTimeoutMs - elapsedMs(),
        maxBodyBytes: 0,
      });
      if ('failure' in response) throw errorOf(response);
      if (selfHeader.toLowerCase() in response.headers) throw new ServiceError('invalid_target');
      const { status, headers, setCookies, malformed = [] } = response;
      const location = locationOf(response);
      hops.push({ url: target.href, status, location });
      if (location === null) {
        const urls = { url: requested.href, finalUrl: target.href };
        const checked = { ...urls, status, method, hops, headers: { ...headers }, setCookies: [...setCookies] };
        return {
          ...checked,
          grade: grade({ ...checked, malformed, nowMs: platform.now() }),
          elapsedMs: Math.round(elapsedMs()),
        };
      }
      if (hops.length > maxRedirects) throw new ServiceError('too_many_redirects');
      target = targetOf(location, options, target);
    }
  } catch (error) {
    throw error instanceof ServiceError && hops.length > 0 ? explainRedirect(error) : error;
  }
}

/** Null if the response is not a redirect with one target: it is the final response. Like browsers, ignores an empty Location. */
function locationOf({ status, headers, hasSeveralLocations }: OutboundResponse): string | null {
  return isRedirect(status) && !hasSeveralLocations ? headers.location || null : null;
}

/** Codes of targets that a lookup does not request. */
const notAllowed: readonly ErrorCode[] = ['invalid_url', 'invalid_target', 'blocked_address'];
/** Codes of errors that are not about the target of a redirect. */
const ofWholeCheck: readonly ErrorCode[] = ['overloaded', 'too_many_redirects'];

function explainRedirect(error: ServiceError): ServiceError {
  const { code, message } = error;
  if (ofWholeCheck.includes(code)) return error;
  const problem = notAllowed.includes(code) ? 'is not allowed' : 'failed';
  return new ServiceError(code, `The target redirects to a URL that ${problem}. ${message}`);
}

function errorOf({
  failure,
  noRouteOver: [version, other] = [],
}: Exclude<OutboundResult, OutboundResponse>): ServiceError {
  if (version === undefined) return new ServiceError(...targetFailures[failure]);
  if (other !== undefined)
    return new ServiceError(
      'target_unreachable',
      'The machine of this lookup has no route to the target; check its network, or run seenby on another machine.',
    );
  return new ServiceError(
    'target_unreachable',
    `The machine of this lookup has no route to the target over IPv${version}, and does not reach it over IPv${version === 6 ? 4 : 6}; run seenby on a machine with IPv${version}, or check host and port.`,
  );
}

export const targetFailures: Readonly<Record<OutboundFailure, readonly [code: ErrorCode, message?: string]>> = {
  blocked: ['blocked_address'],
  own: ['invalid_target'],
  unresolved: ['target_unreachable', 'The host name of the target has no address; check its spelling.'],
  dns_failed: [
    'target_unreachable',
    'One of the queries for the addresses of the target failed, and no address is known; check the name servers of its domain, or try again later.',
  ],
  unreachable: ['target_unreachable'],
  malformed: [
    'target_unreachable',
    'The target does not respond with valid HTTP/1.1, and not with headers that browsers could read; check its first lines.',
  ],
  certificate: ['invalid_certificate'],
  timeout: ['target_timeout'],
  overloaded: ['overloaded'],
  too_large: [
    'target_unreachable',
    `The response headers of the target are larger than ${formatBytes(maxResponseHeaderBytes)}; send fewer.`,
  ],
  informational: [
    'target_unreachable',
    `The target sends more than ${maxInformationalResponses} informational responses (1xx) before the final one; send fewer.`,
  ],
};
