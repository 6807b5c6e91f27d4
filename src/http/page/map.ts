/** A map of the surroundings of the estimated location, with its accuracy. */

import type { IpLocation } from '../../resources/geo.ts';
import { borders, grid, land, viewBox } from './generated/world.ts';
import { type Fragment, html, raw } from './markup.ts';
import { kilometersAround, project } from './projection.ts';
import { visible } from './text.ts';

/**
 * Radius of the circle on the map. Database vendors count a city as correct within 50 km; without a city, the
 * coordinates are the center of a region or country.
 */
export function estimateRadiusKm({ city, region, regionCode }: IpLocation): number {
  if (city !== null) return 50;
  return region === null && regionCode === null ? 500 : 200;
}

/** Width of the world divided by that of the map: the country and its neighbors. */
const magnification = 5;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const [worldLeft, worldTop, worldWidth, worldHeight] = viewBox.split(' ').map(Number) as [
  number,
  number,
  number,
  number,
];

/** A path whose first pair of numbers is absolute and all others are relative, with the box around it. */
function shapeOf(path: string): Box & { readonly path: string } {
  const numbers = path.match(/-?\d+/g)?.map(Number) ?? [];
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  let x = 0;
  let y = 0;
  for (let n = 0; n + 1 < numbers.length; n += 2) {
    x += numbers[n] ?? 0;
    y += numbers[n + 1] ?? 0;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return { ...box, path };
}

const layers = [
  { name: 'grid', shapes: grid.split(/(?=M)/).map(shapeOf) },
  { name: 'land', shapes: land.split('\n').map(shapeOf) },
  { name: 'borders', shapes: borders.split('\n').map(shapeOf) },
];

/** The part of the world in the view; the page contains no other part. */
const groundOf = (view: Box): Fragment =>
  html`${layers.map(({ name, shapes }) => {
    const isInView = ({ left, right, top, bottom }: Box) =>
      left <= view.right && right >= view.left && top <= view.bottom && bottom >= view.top;
    const paths = shapes.filter(isInView).map(({ path }) => path);
    return raw(`<path class="${name}" d="${paths.join('\n')}"/>`);
  })}`;

/** Around a location, and within the frame of the world. */
function viewAround(x: number, y: number): Box & { readonly width: number; readonly height: number } {
  const width = Math.round(worldWidth / magnification);
  const height = Math.round(worldHeight / magnification);
  const left = Math.round(Math.max(worldLeft, Math.min(worldLeft + worldWidth - width, x - width / 2)));
  const top = Math.round(Math.max(worldTop, Math.min(worldTop + worldHeight - height, y - height / 2)));
  return { left, top, right: left + width, bottom: top + height, width, height };
}

/** Null without coordinates, and for a location that is not on the map of the world, such as one in Antarctica. */
export function map(location: IpLocation, place: string): Fragment | null {
  const { latitude, longitude } = location;
  const isPlaced = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (!isPlaced) return null;
  const radiusKm = estimateRadiusKm(location);
  const [x, y] = project(latitude, longitude).map(Math.round) as [number, number];
  if (y < worldTop || y > worldTop + worldHeight) return null;
  const view = viewAround(x, y);
  return html`<figure class="map"><svg viewBox="${view.left} ${view.top} ${view.width} ${view.height}" role="img" aria-label="Map with the estimated location: ${visible(place)}">${groundOf(view)}
<circle class="estimate" r="${radiusKm}" transform="${kilometersAround(latitude, longitude)}"/><circle class="halo" cx="${x}" cy="${y}" r="28"/><circle class="pin" cx="${x}" cy="${y}" r="9"/></svg>
<figcaption>Accurate to about ${radiusKm} km at best. <a href="${openStreetMap(latitude, longitude, radiusKm)}" rel="noreferrer">Show on OpenStreetMap</a></figcaption></figure>`;
}

/** The zoom shows the whole circle. */
function openStreetMap(latitude: number, longitude: number, radiusKm: number): string {
  const zoom = radiusKm > 300 ? 5 : radiusKm > 100 ? 7 : 9;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${latitude}/${longitude}`;
}
