/** Fingerprints that an edge in front computed; null if they do not have the expected form. */
import { isJa3Text } from './ja3.ts';

/** The JA3 text, or its MD5 in hex. */
export const checkJa3 = (value: string): string | null =>
  /^[\da-f]{32}$/.test(value) || (value.length <= maxTextLength && isJa3Text(value)) ? value : null;

export const checkJa4 = (value: string): string | null =>
  /^[tqd](?:\d\d|[sd]\d)[di]\d{4}[\dA-Za-z]{2}_[\da-f]{12}_[\da-f]{12}$/.test(value) ? value : null;

/** Length for a ClientHello with a thousand cipher suites and extensions. */
const maxTextLength = 8192;
