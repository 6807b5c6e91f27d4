/** Recognizes the family of a client by its fingerprints. */
import { type Family, http2Traits, http3Traits, tlsTraits } from './data/families.ts';

/** Families that send this JA4; empty if it is unknown. */
export function familiesOfJa4(ja4: string): readonly Family[] {
  const [start = '', ciphers, extensions] = ja4.split('_');
  return tlsTraits
    .filter((trait) => trait.ciphers === ciphers && trait.alpn.includes(start.slice(-2)))
    .filter((trait) => trait.extensions === undefined || trait.extensions === extensions)
    .map(({ family }) => family);
}

/** Families that send this Akamai text; empty if it is unknown. */
export function familiesOfAkamai(akamai: string): readonly Family[] {
  return http2Traits.filter((trait) => trait.akamai === akamai).map(({ family }) => family);
}

/** Families that send this stable part of the HTTP/3 text; empty if it is unknown. */
export function familiesOfHttp3(text: string): readonly Family[] {
  return http3Traits.filter((trait) => trait.text === text).map(({ family }) => family);
}
