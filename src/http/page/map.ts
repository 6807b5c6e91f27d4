/** Maps of the estimated location: the world, and the region around it. */
import { html, raw } from 'hono/html';
import type { Location } from '../../resources/geo.ts';
import type { Fragment } from './fragment.ts';
import { borders, land } from './generated/world.ts';
import { neighbourhood, project } from './projection.ts';

/**
 * Radius of the circle on the map. Database vendors count a city as correct within 50 km; without a city, the
 * coordinates are the center of a region or country.
 */
export function estimateRadiusKm({ city, region, regionCode }: Location): number {
  if (city !== null) return 50;
  return region === null && regionCode === null ? 500 : 200;
}

const [north, south] = [84, -57];
const [left] = project(0, -180);
const [, top] = project(north, 0);
const [, bottom] = project(south, 0);
const viewBox = [left, top, -2 * left, bottom - top].map(Math.round).join(' ');

/** Minimum distance from the center of the region map to its edges. */
const regionKm = 900;

const grid = raw(gridPath());
const coasts = raw(`<path id="land" class="land" d="${land}"/>`);
const countries = raw(`<path id="borders" class="borders" d="${borders}"/>`);

export function maps(location: Location, place: string): Fragment {
  const { latitude, longitude } = location;
  const isPlaced = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (!isPlaced) {
    return html`<div class="maps"><figure class="map"><svg viewBox="${viewBox}" role="img" aria-label="Map of the world, no location marked">${world('')}</svg>
<figcaption>The IP database has no location for this IP address.</figcaption></figure></div>`;
  }
  const radiusKm = estimateRadiusKm(location);
  const [x, y] = project(latitude, longitude).map(Math.round) as [number, number];
  const { onMap, toKm } = neighbourhood(latitude, longitude);
  const halfKm = Math.max(regionKm, 2.5 * radiusKm);
  const [barX, barY] = [-0.92 * halfKm, 0.9 * halfKm];
  const barKm = halfKm > 1000 ? 500 : 250;
  const marks = html`<path class="cross" d="M${x} ${Math.round(top)}V${Math.round(bottom)}M${Math.round(left)} ${y}H${-Math.round(left)}"/>
<circle class="estimate" r="${radiusKm}" transform="${onMap}"/><circle class="halo" cx="${x}" cy="${y}" r="110"/><circle class="pin" cx="${x}" cy="${y}" r="34"/>`;
  return html`<div class="maps">
<figure class="map"><svg viewBox="${viewBox}" role="img" aria-label="Map of the world with the estimated location: ${place}">${world(marks)}</svg></figure>
<figure class="map"><svg viewBox="${-halfKm} ${-halfKm} ${2 * halfKm} ${2 * halfKm}" role="img" aria-label="Map of the region, with a circle of ${radiusKm} km around the estimated location"><g transform="${toKm}"><use href="#land"/><use href="#borders"/></g>
<circle class="estimate" r="${radiusKm}"/><circle class="pin" r="${halfKm / 75}"/>
<path class="scale" d="M${barX} ${barY}h${barKm}"/><text x="${barX}" y="${barY - 0.03 * halfKm}" font-size="${0.075 * halfKm}">${barKm} km</text></svg></figure>
</div>
<p class="small">This is an estimate: the circle has a radius of ${radiusKm} km around the coordinates in the IP database, and
the true location may be outside it. It describes the access network, not a postal address. <code>location.latitude</code>
<code>location.longitude</code></p>`;
}

function world(marks: Fragment | string): Fragment {
  return html`<path class="grid" d="${grid}"/>${coasts}${countries}${marks}`;
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
