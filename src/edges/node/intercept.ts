/** Responses to requests that never reach the application: challenges of a CA, and redirects to HTTPS. */
import type { ObservedRequest } from '../../core/observed.ts';
import type { Platform } from '../../core/platform.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import type { Settings } from '../../core/settings.ts';
import { unknownEndpoint } from '../../http/app.ts';
import { httpsRedirect } from '../../http/https-redirect.ts';

/** Responds to some requests in place of the application, else returns null. `isForwarded`: a trusted proxy sent the request. */
export type Intercept = (observed: ObservedRequest, isForwarded: boolean) => HttpResponse | null;

/** The response to a request of a CA that validates one of our domains; null for all other requests. */
type ChallengeResponse = (observed: ObservedRequest) => HttpResponse | null;

/** Returns null if no setting needs any. `challengeResponse` is null without ACME. */
export function createIntercept(
  { redirectHttps, publicUrl }: Pick<Settings, 'redirectHttps' | 'publicUrl'>,
  { count }: Pick<Platform, 'count'>,
  challengeResponse: ChallengeResponse | null,
): Intercept | null {
  const redirectUrl = redirectHttps ? publicUrl : null;
  if (redirectUrl === null && challengeResponse === null) return null;
  return (observed, isForwarded) => {
    const challenge = challengeResponse?.(observed) ?? null;
    const response = challenge ?? (redirectUrl === null ? null : httpsRedirect(observed, redirectUrl, isForwarded));
    if (response !== null) count(unknownEndpoint, response.status);
    return response;
  };
}
