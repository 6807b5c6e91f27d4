/** Map data and Equal Earth projection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { borders, land } from '../../../src/http/page/generated/world.ts';
import { kilometersAround, project } from '../../../src/http/page/projection.ts';

test('the map is small and contains only path data', () => {
  assert.ok(land.length + borders.length < 60_000);
  assert.doesNotMatch(land + borders, /[^MLlz\d\s-]/);
});

test('projects known points as Equal Earth does', () => {
  // The equator is 2.7066 radii long to each side, a pole 1.3173 above it, and the pole line 0.592 as long as the equator.
  for (const [latitude, longitude, x, y] of [
    [0, 0, 0, 0],
    [0, 180, 2706.6, 0],
    [90, 0, 0, -1317.3],
    [90, 180, 1603.6, -1317.3],
    [-90, -180, -1603.6, 1317.3],
  ] as const) {
    const [isX, isY] = project(latitude, longitude);
    assert.ok(Math.hypot(isX - x, isY - y) < 1, `${latitude} ${longitude}: ${isX} ${isY}`);
  }
});

test('preserves areas: a circle covers the same area at every latitude', () => {
  for (const latitude of [0, 30, 59.9, -80, 90]) {
    const [a = 0, b = 0, c = 0, d = 0] = kilometersAround(latitude, 140).slice(7, -1).split(' ').map(Number);
    assert.ok(Math.abs((a * d - b * c) * 6.371 ** 2 - 1) < 0.01, `${latitude}`);
  }
});
