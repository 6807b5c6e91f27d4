/** Security headers of every page. */
import type { Deployment } from '../../core/request-context.ts';
import { unusedFeatures } from './data/unused-features.ts';
import { scriptHashes, styleHashes } from './generated/assets.ts';

const twoYearsSeconds = 2 * 365 * 24 * 60 * 60;

/**
 * HSTS only over HTTPS (RFC 6797 §7.2), and only if the public URL is HTTPS: otherwise it would lock visitors out of a plain HTTP service.
 */
export function pageHeaders(
  { publicUrl, publicUrlV4, publicUrlV6, probes }: Deployment,
  isSecure: boolean,
): Readonly<Record<string, string>> {
  // Names of the zone have the service's address.
  const names = probes?.dns && `https://*.${probes.dns.zone}`;
  const origins = [publicUrlV4, publicUrlV6, names].filter((origin) => typeof origin === 'string');
  // Style and script are inline and allowed by their hashes; the script sends requests only to this service, under these origins.
  const policy = [
    "default-src 'none'",
    `script-src ${scriptHashes}`,
    `style-src ${styleHashes}`,
    'img-src data:',
    ['connect-src', "'self'", ...origins].join(' '),
    "form-action 'self'",
    'manifest-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
    // To no other site. Without Sec-Fetch-Site, it shows that a lookup was requested by one of these pages.
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    ...(isSecure && publicUrl?.startsWith('https:') && { 'Strict-Transport-Security': `max-age=${twoYearsSeconds}` }),
  };
}
