/** The map: which locations have one, how accurate it is, and which parts of the world are on it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { borders, grid, land } from '../../../src/http/page/generated/world.ts';
import { estimateRadiusKm, map } from '../../../src/http/page/map.ts';
import { location } from '../../../src/resources/geo.ts';
import { seenAll } from '../../observed.ts';

const place = location(seenAll);

test('there is a map only of a place with both coordinates, on the globe and on the map of the world', () => {
  const place = location(seenAll);
  const isMapped = (latitude: number | null, longitude: number | null): boolean =>
    map({ ...place, latitude, longitude }, 'Oslo') !== null;
  for (const [latitude, longitude] of [
    [59.9, 10.7],
    [90, 180],
    // Ushuaia
    [-54.8, -68.3],
  ] as const)
    assert.equal(isMapped(latitude, longitude), true);
  for (const [latitude, longitude] of [
    [null, 10.7],
    [59.9, null],
    [90.1, 0],
    [0, -180.1],
    // McMurdo, Antarctica
    [-77.85, 166.67],
    [-90, 180],
  ] as const)
    assert.equal(isMapped(latitude, longitude), false, `${latitude} ${longitude}`);
});

test('the circle grows with the uncertainty', () => {
  assert.equal(estimateRadiusKm(place), 50);
  const { city, ...region } = { ...place, city: null };
  assert.equal(estimateRadiusKm({ ...region, city }), 200);
  assert.equal(estimateRadiusKm({ ...region, city, region: null }), 200);
  assert.equal(estimateRadiusKm({ ...region, city, regionCode: null }), 200);
  assert.equal(estimateRadiusKm({ ...region, city, region: null, regionCode: null }), 500);
});

/** The points of a path, whose first pair of numbers is absolute and whose others are relative. */
function pointsOf(path: string): readonly (readonly [x: number, y: number])[] {
  let x = 0;
  let y = 0;
  return [...path.matchAll(/(-?\d+)\s*(-?\d+)/g)].map(([, right, down]) => {
    x += Number(right);
    y += Number(down);
    return [x, y];
  });
}

const shapes = [...grid.split(/(?=M)/), ...land.split('\n'), ...borders.split('\n')].map((path) => {
  const points = pointsOf(path);
  const across = points.map(([x]) => x);
  const down = points.map(([, y]) => y);
  return {
    path,
    left: Math.min(...across),
    right: Math.max(...across),
    top: Math.min(...down),
    bottom: Math.max(...down),
  };
});

test('the map has exactly the shapes that reach into its view, also those that touch its edge', () => {
  const edges = new Set<string>();
  for (let longitude = -180; longitude <= 180; longitude += 9)
    for (let latitude = -88; latitude <= 88; latitude += 2) {
      const figure = map({ ...place, latitude, longitude }, 'Oslo');
      if (figure === null) continue;
      const drawn = `${figure}`;
      const [left = 0, top = 0, width = 0, height = 0] =
        /viewBox="([^"]+)"/.exec(drawn)?.[1]?.split(' ').map(Number) ?? [];
      const right = left + width;
      const bottom = top + height;
      const expected = shapes.filter(
        (shape) => !(shape.left > right || shape.right < left || shape.top > bottom || shape.bottom < top),
      );
      for (const shape of expected) {
        if (shape.left === right) edges.add('right');
        if (shape.right === left) edges.add('left');
        if (shape.top === bottom) edges.add('bottom');
        if (shape.bottom === top) edges.add('top');
      }
      const paths = [...drawn.matchAll(/<path class="\w+" d="([^"]*)"/g)].map(([, path]) => path);
      const found = paths.flatMap((text = '') => (text === '' ? [] : text.split(/\n(?=M)|(?<=\d)(?=M)/)));
      assert.deepEqual(found.map((path) => path.trim()).toSorted(), expected.map(({ path }) => path.trim()).toSorted());
    }
  assert.equal(edges.size, 4, `only ${[...edges].join(', ')} are touched`);
});
