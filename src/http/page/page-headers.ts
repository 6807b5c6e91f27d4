/** The headers of every page: what browsers may do with it. */
import { scriptHash, styleHash } from './assets.ts';

/** Style and script are inline and known by their hash; the script asks this service alone. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src '${scriptHash}'`,
  `style-src '${styleHash}'`,
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** What no page here uses. https://github.com/w3c/webappsec-permissions-policy/blob/main/features.md Last updated: 2026-11-21 */
const unused = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
];

const twoYears = 2 * 365 * 24 * 60 * 60;

/** A service that is not meant for HTTPS must not bind its visitors to it. */
export function pageHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': unused.map((feature) => `${feature}=()`).join(', '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    ...(publicUrl?.startsWith('https:') && { 'Strict-Transport-Security': `max-age=${twoYears}` }),
  };
}
