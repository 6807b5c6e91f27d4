/** A map of the world with the estimated location and its accuracy. */
import { html, raw } from 'hono/html';
import type { Location } from '../../resources/geo.ts';
import type { Fragment } from './fragment.ts';
import { borders, grid, land, viewBox } from './generated/world.ts';
import { kilometersAround, project } from './projection.ts';
import { visible } from './text.ts';

/**
 * Radius of the circle on the map. Database vendors count a city as correct within 50 km; without a city, the
 * coordinates are the center of a region or country.
 */
export function estimateRadiusKm({ city, region, regionCode }: Location): number {
  if (city !== null) return 50;
  return region === null && regionCode === null ? 500 : 200;
}

const ground = raw(
  `<path class="grid" d="${grid}"/><path class="land" d="${land}"/><path class="borders" d="${borders}"/>`,
);

/** Null without coordinates. */
export function map(location: Location, place: string): Fragment | null {
  const { latitude, longitude } = location;
  const isPlaced = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (!isPlaced) return null;
  const radiusKm = estimateRadiusKm(location);
  const [x, y] = project(latitude, longitude).map(Math.round) as [number, number];
  return html`<figure class="map"><svg viewBox="${viewBox}" role="img" aria-label="Map of the world with the estimated location: ${visible(place)}">${ground}
<circle class="estimate" r="${radiusKm}" transform="${kilometersAround(latitude, longitude)}"/><circle class="halo" cx="${x}" cy="${y}" r="140"/><circle class="pin" cx="${x}" cy="${y}" r="44"/></svg>
<figcaption>Accurate to about ${radiusKm} km at best. <a href="${openStreetMap(latitude, longitude, radiusKm)}" rel="noreferrer">Show on OpenStreetMap</a></figcaption></figure>`;
}

/** The zoom shows the whole circle. */
function openStreetMap(latitude: number, longitude: number, radiusKm: number): string {
  const zoom = radiusKm > 300 ? 5 : radiusKm > 100 ? 7 : 9;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${latitude}/${longitude}`;
}
