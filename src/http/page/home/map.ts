/** A map of the world with the estimated location and its accuracy. */
import { html, raw } from 'hono/html';
import type { Location } from '../../../resources/geo.ts';
import type { Fragment } from '../fragment.ts';
import { borders, land } from '../generated/world.ts';
import { kilometersAround, project } from './projection.ts';

/**
 * Radius of the circle on the map. Database vendors count a city as correct within 50 km; without a city, the
 * coordinates are the center of a region or country.
 */
export function estimateRadiusKm({ city, region, regionCode }: Location): number {
  if (city !== null) return 50;
  return region === null && regionCode === null ? 500 : 200;
}

const [north, south] = [85, -58];
const [left] = project(0, -180);
const [, top] = project(north, 0);
const [, bottom] = project(south, 0);
/** Keeps the northern coasts off the frame. */
const margin = 40;
const viewBox = [left, top - margin, -2 * left, bottom - top + margin].map(Math.round).join(' ');

const grid = raw(gridPath());
const coasts = raw(`<path class="land" d="${land}"/>`);
const countries = raw(`<path class="borders" d="${borders}"/>`);

/** Empty without coordinates. */
export function map(location: Location, place: string): Fragment | string {
  const { latitude, longitude } = location;
  const isPlaced = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (!isPlaced) return '';
  const radiusKm = estimateRadiusKm(location);
  const [x, y] = project(latitude, longitude).map(Math.round) as [number, number];
  return html`<figure class="map"><svg viewBox="${viewBox}" role="img" aria-label="Map of the world with the estimated location: ${place}"><path class="grid" d="${grid}"/>${coasts}${countries}
<circle class="estimate" r="${radiusKm}" transform="${kilometersAround(latitude, longitude)}"/><circle class="halo" cx="${x}" cy="${y}" r="140"/><circle class="pin" cx="${x}" cy="${y}" r="44"/></svg>
<figcaption>Accurate to about ${radiusKm} km at best. <a href="${openStreetMap(latitude, longitude, radiusKm)}" rel="noreferrer">Show on OpenStreetMap</a></figcaption></figure>`;
}

/** The zoom shows the whole circle. */
function openStreetMap(latitude: number, longitude: number, radiusKm: number): string {
  const zoom = radiusKm > 300 ? 5 : radiusKm > 100 ? 7 : 9;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${latitude}/${longitude}`;
}

/** Grid lines at intervals of 30 degrees. */
function gridPath(): string {
  const degrees = (from: number, to: number, step: number) =>
    Array.from({ length: Math.round((to - from) / step) + 1 }, (_, n) => from + n * step);
  const line = (points: (readonly [number, number])[]) =>
    `M${points.map((point) => point.map(Math.round).join(' ')).join('L')}`;
  return [
    ...degrees(-150, 150, 30).map((longitude) =>
      line(degrees(south, north, 15.66).map((latitude) => project(latitude, longitude))),
    ),
    ...degrees(-30, 60, 30).map((latitude) => line([project(latitude, -180), project(latitude, 180)])),
  ].join('');
}
