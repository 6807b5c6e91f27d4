/** Responses to grade: an HTTPS page that was reached at once and sent nothing, changed as a test needs it. */
import type { GradedResponse } from '../../../src/lookups/headers-check/header-check.ts';

export function responseOf(changed: Partial<GradedResponse> = {}): GradedResponse {
  const url = changed.url ?? 'https://a.example/';
  const finalUrl = changed.finalUrl ?? url;
  const status = changed.status ?? 200;
  const hops = [{ url: finalUrl, status, location: null }];
  return { url, finalUrl, status, hops, headers: {}, setCookies: [], ...changed };
}

/** The route through these addresses, the last of which is the final one. */
export function routeOf(...urls: string[]): Pick<GradedResponse, 'url' | 'finalUrl' | 'hops'> {
  const hops = urls.map((url, at) => {
    const location = urls[at + 1] ?? null;
    return { url, status: location === null ? 200 : 301, location };
  });
  return { url: urls[0] ?? '', finalUrl: urls.at(-1) ?? '', hops };
}
