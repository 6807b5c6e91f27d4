/** The Equal Earth projection (Šavrič, Patterson, Jenny 2018, https://doi.org/10.1080/13658816.2018.1504949), in map units. */

const a1 = 1.340264;
const a2 = -0.081106;
const a3 = 0.000893;
const a4 = 0.003796;
const root3 = Math.sqrt(3);

/** Map units per earth radius. */
const scale = 1000;
const earthRadiusKm = 6371;
const radians = Math.PI / 180;

/** Takes degrees; returns x east of Greenwich and y south of the equator. */
export function project(latitude: number, longitude: number): readonly [x: number, y: number] {
  const t = Math.asin((root3 / 2) * Math.sin(latitude * radians));
  const t2 = t * t;
  const t6 = t2 * t2 * t2;
  const x = (2 * root3 * longitude * radians * Math.cos(t)) / (3 * (9 * a4 * t6 * t2 + 7 * a3 * t6 + 3 * a2 * t2 + a1));
  const y = t * (a4 * t6 * t2 + a3 * t6 + a2 * t2 + a1);
  return [scale * x, -scale * y];
}

/** SVG matrix from kilometers east and south of a location to map units: the projection's linear approximation there. */
export function kilometersAround(latitude: number, longitude: number): string {
  // East is undefined at the poles.
  const at = Math.max(-89, Math.min(89, latitude));
  const step = 0.01;
  const km = step * radians * earthRadiusKm;
  const [x, y] = project(at, longitude);
  const [eastX, eastY] = project(at, longitude + step / Math.cos(at * radians));
  const [southX, southY] = project(at - step, longitude);
  const matrix = [(eastX - x) / km, (eastY - y) / km, (southX - x) / km, (southY - y) / km, x, y];
  return `matrix(${matrix.map((each) => Number(each.toPrecision(6))).join(' ')})`;
}
