/** Generates src/http/page/generated/world.ts: the map of the world as SVG paths: Natural Earth's coasts and borders, and a grid. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { project } from '../src/http/page/projection.ts';

type Point = [longitude: number, latitude: number];
type Line = readonly Point[];

const require = createRequire(import.meta.url);
const { merge, mesh } = require('topojson-client');
const version: string = require('world-atlas/package.json').version;

/** Square map units. Smaller bends are smoothed and smaller islands omitted, so that the page stays small. */
const smallestBend = 60;
const smallestIsland = 60;

/** Coasts and land borders of all countries but Antarctica, as SVG path data. */
function worldPaths(): { land: string; borders: string } {
  const topology = JSON.parse(readFileSync(require.resolve('world-atlas/countries-50m.json'), 'utf8'));
  const { scale, translate } = topology.transform;
  delete topology.transform;
  topology.arcs = topology.arcs.map((deltas: Line) => {
    const at = [0, 0] as Point;
    const line = deltas.map((delta): Point => {
      for (const axis of [0, 1] as const) at[axis] += delta[axis];
      return [at[0] * scale[0] + translate[0], at[1] * scale[1] + translate[1]];
    });
    return simplify(unwrap(line));
  });
  const countries = topology.objects.countries.geometries.filter(
    ({ properties }: { properties: { name: string } }) => properties.name !== 'Antarctica',
  );
  const land: Line[] = merge(topology, countries).coordinates.flat().map(unwrap).map(center);
  const borders: Line[] = mesh(
    topology,
    { type: 'GeometryCollection', geometries: countries },
    (a: object, b: object) => a !== b,
  ).coordinates;
  return {
    land: land
      .filter((ring) => area(ring) >= smallestIsland)
      .map((ring) => `${pathOf(ring.slice(0, -1))}z`)
      .join('\n'),
    borders: borders
      .map(unwrap)
      .map(pathOf)
      .filter((path) => path !== '')
      .join('\n'),
  };
}

/** Continues beyond 180 degrees, so that Chukotka stays in one piece. */
function unwrap(line: Line): Line {
  let turns = 0;
  return line.map(([longitude, latitude], n) => {
    const step = n === 0 ? 0 : longitude - (line[n - 1] as Point)[0];
    if (Math.abs(step) > 180) turns -= Math.sign(step);
    return [longitude + 360 * turns, latitude];
  });
}

function center(ring: Line): Line {
  const middle = ring.reduce((sum, [longitude]) => sum + longitude, 0) / ring.length;
  const turns = Math.round(middle / 360);
  return ring.map(([longitude, latitude]) => [longitude - 360 * turns, latitude]);
}

const onMap = ([longitude, latitude]: Point) => project(latitude, longitude);

/** Visvalingam's algorithm: removes the point that changes the least area until every point changes at least `smallestBend`. */
function simplify(line: Line): Line {
  const points = line.map((point) => ({ point, at: onMap(point), bend: Number.POSITIVE_INFINITY }));
  /** The first and the last point stay. */
  const measure = (index: number): void => {
    const [before, point, after] = points.slice(Math.max(0, index - 1), index + 2);
    if (before === undefined || point === undefined || after === undefined) return;
    const [ax, ay] = before.at;
    const [bx, by] = point.at;
    const [cx, cy] = after.at;
    point.bend = Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2;
  };
  for (const index of points.keys()) if (index > 0) measure(index);
  for (;;) {
    const least = points.reduce(
      (found, { bend }, index) => (bend < (points[found]?.bend ?? smallestBend) ? index : found),
      -1,
    );
    if (least === -1) return points.map(({ point }) => point);
    points.splice(least, 1);
    for (const index of [least - 1, least]) if (index > 0) measure(index);
  }
}

function area(ring: Line): number {
  const points = ring.map(onMap);
  return Math.abs(
    points.reduce((sum, [x, y], n) => {
      const [nextX, nextY] = points[n + 1] ?? [x, y];
      return sum + x * nextY - nextX * y;
    }, 0) / 2,
  );
}

function pathOf(line: Line): string {
  const [first = [0, 0], ...rest] = line.map((point) => onMap(point).map(Math.round) as Point);
  let [x, y] = first;
  const steps = rest
    .map(([nextX, nextY]) => {
      const step = [nextX - x, nextY - y];
      x = nextX;
      y = nextY;
      return step.join(' ');
    })
    .filter((step) => step !== '0 0');
  if (steps.length === 0) return '';
  // A minus sign separates numbers, so the space before it is not needed.
  return `M${first.join(' ')}l${steps.join(' ')}`.replaceAll(' -', '-');
}

const north = 85;
const south = -58;

/** Grid lines at intervals of 30 degrees. */
function gridPath(): string {
  const degrees = (from: number, to: number, step: number) =>
    Array.from({ length: Math.round((to - from) / step) + 1 }, (_, n) => from + n * step);
  const latitudes = degrees(south, north, 15.66);
  const meridians = degrees(-150, 150, 30).map((longitude) =>
    latitudes.map((latitude): Point => [longitude, latitude]),
  );
  const parallels = degrees(-30, 60, 30).map(
    (latitude): Line => [
      [-180, latitude],
      [180, latitude],
    ],
  );
  return [...meridians, ...parallels].map(pathOf).join('');
}

/** Keeps the northern coasts off the frame. */
const margin = 40;

function viewBox(): string {
  const [left] = project(0, -180);
  const top = project(north, 0)[1] - margin;
  const bottom = project(south, 0)[1];
  return [left, top, -2 * left, bottom - top].map(Math.round).join(' ');
}

/** Returns the content of src/http/page/generated/world.ts. */
export function worldMap(): string {
  const { land, borders } = worldPaths();
  return `/**
 * Coasts, land borders, grid and frame in the map units of ../projection.ts, generated by tools/world.ts.
 * Made with Natural Earth (public domain, https://www.naturalearthdata.com), scale 1:50m, from world-atlas ${version}.
 */
export const land = \`${land}\`;

export const borders = \`${borders}\`;

export const grid = \`${gridPath()}\`;

export const viewBox = '${viewBox()}';
`;
}
