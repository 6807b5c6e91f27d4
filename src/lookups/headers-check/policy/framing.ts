/** Frames: which pages may show this one in a frame by X-Frame-Options, as a header line or as sources of frame-ancestors. */
import type { GradedResponse } from '../schema.ts';

type SentHeaders = GradedResponse['headers'];

const frameOptions = ['deny', 'sameorigin', 'allowall'];

/** The values of a header that may be repeated, in lower case. */
export const frameOptionsOf = (headers: SentHeaders): ReadonlySet<string> =>
  new Set((headers['x-frame-options'] ?? '').split(',').map((value) => value.trim().toLowerCase()));

/** Whether browsers block every frame: different values, of which one is known, are as strict as DENY (HTML §7.4.5). */
export function blocksFrames(headers: SentHeaders): boolean {
  const values = frameOptionsOf(headers);
  return values.size === 1 ? values.has('deny') : frameOptions.some((known) => values.has(known));
}

const maxOrigins = 5;

/** The origins of ALLOW-FROM, which browsers ignore; over HTTPS, because the HTTP Observatory counts http: as insecure. */
function allowedOrigins(headers: SentHeaders): readonly string[] {
  const [, list = ''] = /\ballow-from[\s:=]+([^;]*)/i.exec(headers['x-frame-options'] ?? '') ?? [];
  const origins = list.split(/[\s,]+/).flatMap((text) => {
    const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
    const isName = url !== null && /^(?:[\w-]+\.)+[\w-]+$|^\[[\da-f:]+\]$/i.test(url.hostname);
    return isName ? [`https://${url.host}`] : [];
  });
  return [...new Set(origins)].slice(0, maxOrigins);
}

/** What X-Frame-Options permits, or is meant to permit, as sources of frame-ancestors. Without it, the site's own pages. */
export function frameAncestorsOf({ finalUrl, headers }: GradedResponse): readonly string[] {
  const origins = allowedOrigins(headers).filter((origin) => origin !== URL.parse(finalUrl)?.origin);
  if (origins.length > 0) return [...origins, "'self'"];
  return [blocksFrames(headers) ? "'none'" : "'self'"];
}

export const isAllowFrom = (headers: SentHeaders): boolean => /\ballow-from\b/i.test(headers['x-frame-options'] ?? '');
