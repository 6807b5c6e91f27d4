/** Codes of regions (ISO 3166-2) by their names, for databases that have none. */
import { regions } from './generated/regions.ts';

/** Words for kinds of regions, which sources add or leave out. */
const kindWords =
  /\b(?:province|region|state|district|county|governorate|prefecture|oblast|krai|kray|republic|municipality|department|voivodeship|canton|division|autonomous|city|of|the|de)\b/g;

/** The name in lower case without accents and signs: sources differ in these. */
export const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’‘`ʻʼʿʾ]/g, '')
    .toLowerCase()
    .replace(/[øłđıß]/g, (letter) => baseLetters[letter] ?? '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

const baseLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss' };

/** A plain name without the kind of region; unchanged if it has no other words. */
export const bareName = (plain: string): string => plain.replace(kindWords, ' ').replace(/ +/g, ' ').trim() || plain;

const codesByCountry = new Map<string, ReadonlyMap<string, string>>();

/** The part of the code after the hyphen, such as `BY` for Bavaria; null if the name is unknown or stands for several regions. */
export function regionCodeOf(country: string | null, region: string | null): string | null {
  if (country === null || region === null) return null;
  let codes = codesByCountry.get(country);
  if (codes === undefined) {
    codes = new Map(regions[country]?.split('|').map((row) => row.split('=') as [name: string, code: string]));
    codesByCountry.set(country, codes);
  }
  const plain = plainName(region);
  return codes.get(plain) ?? codes.get(bareName(plain)) ?? null;
}
