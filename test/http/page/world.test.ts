/** The map is Natural Earth's, where the projection puts it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { neighbourhood, project } from '../../../src/http/page/projection.ts';
import { borders, land } from '../../../src/http/page/world.ts';
import { version, worldPaths } from './world-paths.ts';

test('equals what the generator draws from the pinned package, and says so', () => {
  assert.deepEqual({ land, borders }, worldPaths());
  const source = readFileSync(new URL('../../../src/http/page/world.ts', import.meta.url), 'utf8');
  assert.ok(source.includes(`world-atlas ${version}`));
  assert.ok(source.length < 60_000, `${source.length}`);
  assert.doesNotMatch(land + borders, /[^MLlz\d\s-]/);
});

test('projects as Equal Earth does', () => {
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

test('keeps areas, so a circle of so many kilometres covers the same everywhere', () => {
  for (const latitude of [0, 30, 59.9, -80, 90]) {
    const [a = 0, b = 0, c = 0, d = 0] = neighbourhood(latitude, 140).onMap.slice(7, -1).split(' ').map(Number);
    assert.ok(Math.abs((a * d - b * c) * 6.371 ** 2 - 1) < 0.01, `${latitude}`);
  }
});

test('goes from the map to kilometres around a place and back', () => {
  const { toKm } = neighbourhood(59.9, 10.7);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = toKm.slice(7, -1).split(' ').map(Number);
  const [x, y] = project(60.9, 10.7);
  assert.ok(Math.abs(a * x + c * y + e) < 3);
  assert.ok(Math.abs(b * x + d * y + f + 111.2) < 3);
});
