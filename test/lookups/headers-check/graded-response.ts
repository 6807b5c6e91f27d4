/** Responses to grade: an HTTPS page without redirects or headers, changed as a test requires. */
import type { GradedResponse } from '../../../src/lookups/headers-check/schema.ts';

export function responseOf(changed: Partial<GradedResponse> = {}): GradedResponse {
  const url = changed.url ?? 'https://a.example/';
  const finalUrl = changed.finalUrl ?? url;
  const status = changed.status ?? 200;
  const hops = [{ url: finalUrl, status, location: null }];
  return { url, finalUrl, status, hops, headers: {}, setCookies: [], ...changed };
}

/** The redirect chain through these URLs; the last one is final. */
export function routeOf(...urls: string[]): Pick<GradedResponse, 'url' | 'finalUrl' | 'hops'> {
  const hops = urls.map((url, at) => {
    const location = urls[at + 1] ?? null;
    return { url, status: location === null ? 200 : 301, location };
  });
  return { url: urls[0] ?? '', finalUrl: urls.at(-1) ?? '', hops };
}

/** Headers with every bonus, for which no check recommends anything. */
export const bestHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};
