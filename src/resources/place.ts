/** A location in words, for page and terminal. */
import { joinKnown } from '../core/text.ts';
import type { IpLocation } from './geo.ts';

/** City, region and country, as far as known; null if nothing is. */
export const describePlace = ({
  city,
  region,
  countryName,
  country,
}: Pick<IpLocation, 'city' | 'region' | 'countryName' | 'country'>): string | null =>
  joinKnown([city, region, countryName ?? country]);

/** City and country, as far as known; null if neither is. */
export const shortPlace = ({ city, countryName }: Pick<IpLocation, 'city' | 'countryName'>): string | null =>
  joinKnown([city, countryName]);
