/**
 * JA3 of a ClientHello (Salesforce, 2017: https://github.com/salesforce/ja3), and JA3N, the same with the extensions sorted, which stays
 * equal when a browser shuffles them.
 */
import type { WholeClientHello } from './client-hello.ts';
import { hashed } from './digests.ts';
import { omitGrease } from './names.ts';

/**
 * Returns JA3 and JA3N. The text is `version,cipherSuites,extensions,groups,pointFormats`: decimal, GREASE left out, lists joined by `-`,
 * absent ones empty.
 */
export function ja3(hello: WholeClientHello) {
  const ids = hello.extensions?.map(({ id }) => id);
  const lists = [hello.cipherSuites, ids, hello.supportedGroups].map((list) => omitGrease(list));
  const texts = [...lists, hello.ecPointFormats ?? []].map((list) => list.join('-'));
  return codesOf([hello.legacyVersion, ...texts].join(','));
}

const isJa3Text = (text: string): boolean => /^\d+(?:,(?:\d+(?:-\d+)*)?){4}$/.test(text);

/** Returns JA3 and JA3N by the text of JA3 alone; null if it is not one. */
export const ja3OfText = (text: string) => (isJa3Text(text) ? codesOf(text) : null);

function codesOf(text: string) {
  const [version, ciphers, extensions = '', groups, formats] = text.split(',');
  const sorted = extensions.split('-').sort((a, b) => Number(a) - Number(b));
  return { ja3: hashed(text), ja3n: hashed([version, ciphers, sorted.join('-'), groups, formats].join(',')) };
}

/** A JA3 that an edge in front computed: its text, or the MD5 of it in hex; null if it has another form. */
export const parseJa3 = (value: string): string | null =>
  /^[\da-f]{32}$/.test(value) || (value.length <= maxTextLength && isJa3Text(value)) ? value : null;

/** Length for a ClientHello with a thousand cipher suites and extensions. */
const maxTextLength = 8192;
