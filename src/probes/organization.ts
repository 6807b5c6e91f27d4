/** The organization that operates a network: its name, and whether two networks have the same one. Pure. */
import { joinKnown } from '../core/text.ts';

/** Null members are not known. */
export interface Network {
  readonly asn: number | null;
  readonly asOrganization: string | null;
}

export const isKnown = ({ asn, asOrganization }: Network): boolean => asn !== null || asOrganization !== null;

/** Such as `Cloudflare (AS13335)`; null if neither is known. */
export const nameNetwork = ({ asn, asOrganization }: Network): string | null =>
  joinKnown([asOrganization, asn === null ? null : asOrganization === null ? `AS${asn}` : `(AS${asn})`], ' ');

export const isOfOneOrganization = (one: Network, other: Network): boolean =>
  (one.asn !== null && one.asn === other.asn) || isSameOrganization(one.asOrganization, other.asOrganization);

const isSameOrganization = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && normalizeOrganization(one) === normalizeOrganization(other);

/** Legal forms, which registries write differently for the networks of one organization. */
const legalForms =
  /\b(?:ab|ag|as|asa|bv|co|corp|corporation|gmbh|inc|incorporated|limited|llc|ltd|nv|oy|plc|sa|sas|spa|srl)\b/g;

/** The words of a name without case, punctuation and legal form; the name itself if nothing else is left. */
export function normalizeOrganization(name: string): string {
  const plain = name.toLowerCase().replace(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, '');
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').replace(legalForms, ' ');
  return words.trim().replace(/ +/g, ' ') || plain;
}
