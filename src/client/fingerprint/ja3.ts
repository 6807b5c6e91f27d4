/**
 * JA3 of a ClientHello (Salesforce, 2017: https://github.com/salesforce/ja3), and JA3N, the same with the extensions sorted, which
 * stays equal when a browser shuffles them.
 */
import type { ClientHello, WholeClientHello } from './client-hello.ts';
import { type HashedText, hashed } from './digests.ts';
import { isGrease } from './names.ts';

/** `version,cipherSuites,extensions,groups,pointFormats`: decimal, GREASE left out, lists joined by `-`, absent ones empty. */
export const ja3 = (hello: WholeClientHello): HashedText => hashed(textOf(hello, idsOf(hello)));

export const ja3n = (hello: WholeClientHello): HashedText => hashed(textOf(hello, idsOf(hello).sort(compareNumbers)));

const compareNumbers = (one: number, other: number): number => one - other;

export const isJa3Text = (text: string): boolean => /^\d+(?:,(?:\d+(?:-\d+)*)?){4}$/.test(text);

/** JA3 of which only the text is known; null if the text is not one. */
export function ja3OfText(text: string): { readonly ja3: HashedText; readonly ja3n: HashedText } | null {
  if (!isJa3Text(text)) return null;
  const [version, ciphers, extensions = '', groups, formats] = text.split(',');
  const sorted = extensions.split('-').sort((a, b) => Number(a) - Number(b));
  return { ja3: hashed(text), ja3n: hashed([version, ciphers, sorted.join('-'), groups, formats].join(',')) };
}

const idsOf = ({ extensions }: ClientHello): number[] => (extensions ?? []).map(({ id }) => id);

function textOf(hello: WholeClientHello, ids: readonly number[]): string {
  const { supportedGroups, ecPointFormats } = hello;
  const list = (values: readonly number[]): string => values.filter((value) => !isGrease(value)).join('-');
  return [
    hello.legacyVersion,
    list(hello.cipherSuites),
    list(ids),
    list(supportedGroups ?? []),
    (ecPointFormats ?? []).join('-'),
  ].join(',');
}
