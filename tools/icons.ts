/** Generates src/http/generated/icons.ts: favicon.ico and the touch icon, rendered from the shapes of src/http/page/icon.ts. */
import { crc32, deflateSync } from 'node:zlib';
import { eye } from '../src/http/page/icon.ts';

type Point = readonly [x: number, y: number];

const viewBox = 24;
/** Samples per pixel and axis, and line segments per curve: more are not visible. */
const samples = 4;
const segments = 24;

/** The outline as points; supports the path commands M, c, s and z that it uses. */
function outlinePoints(): Point[] {
  const points: Point[] = [];
  let x = 0;
  let y = 0;
  let lastControl: Point = [0, 0];
  for (const [, command = '', list = ''] of eye.outline.matchAll(/([Mcsz])([^Mcsz]*)/g)) {
    const numbers = (list.match(/-?[\d.]+/g) ?? []).map(Number);
    if (command === 'M') [x = 0, y = 0] = numbers;
    else if (command === 'c' || command === 's') {
      const relative = command === 'c' ? numbers : [x - lastControl[0], y - lastControl[1], ...numbers];
      const curve = [-2, 0, 2, 4].map((at): Point => [x + (relative[at] ?? 0), y + (relative[at + 1] ?? 0)]);
      for (let n = 0; n < segments; n++) points.push(pointOn(curve, n / segments));
      lastControl = curve[2] ?? lastControl;
      [x, y] = curve[3] ?? [x, y];
    } else if (command !== 'z') throw new Error(`unsupported path command ${command}`);
  }
  return points;
}

/** The point at `t` of a Bézier curve, by De Casteljau's algorithm. */
function pointOn(curve: readonly Point[], t: number): Point {
  const [first = [0, 0], ...rest] = curve;
  if (rest.length === 0) return first;
  return pointOn(
    rest.map(([x, y], n): Point => [(curve[n]?.[0] ?? 0) * (1 - t) + x * t, (curve[n]?.[1] ?? 0) * (1 - t) + y * t]),
    t,
  );
}

/** The lines of the outline, each as its first point and its vector. */
const outline = outlinePoints().map(([x, y], n, points) => {
  const [nextX, nextY] = points[(n + 1) % points.length] as Point;
  return { x, y, dx: nextX - x, dy: nextY - y };
});

/** `Math.hypot` would take most of the time. */
const isWithin = (distance: number, dx: number, dy: number): boolean => dx * dx + dy * dy <= distance * distance;

/** Whether the eye covers a point of the view box. */
function isCovered(x: number, y: number): boolean {
  if (isWithin(eye.pupilRadius, x - eye.center, y - eye.center)) return true;
  return outline.some((line) => {
    const { dx, dy } = line;
    const along = Math.max(0, Math.min(1, ((x - line.x) * dx + (y - line.y) * dy) / (dx * dx + dy * dy)));
    return isWithin(eye.strokeWidth / 2, x - line.x - along * dx, y - line.y - along * dy);
  });
}

/** Share of a square that the eye covers, from 0 to 1. */
function coverage(left: number, top: number, side: number): number {
  let covered = 0;
  for (let n = 0; n < samples ** 2; n++) {
    const column = n % samples;
    const row = Math.floor(n / samples);
    if (isCovered(left + ((column + 0.5) / samples) * side, top + ((row + 0.5) / samples) * side)) covered += 1;
  }
  return covered / samples ** 2;
}

const color = [1, 3, 5].map((at) => Number.parseInt(eye.color.slice(at, at + 2), 16));

/** A square PNG file (RFC 2083); `margin` is the empty part of each side, and an opaque image is on white. */
function png(size: number, { margin, isOpaque }: { margin: number; isOpaque: boolean }): Buffer {
  const side = viewBox / (size * (1 - 2 * margin));
  const rows = Array.from({ length: size }, (_, row) => [
    // Filter type 0: bytes as they are.
    0,
    ...Array.from({ length: size }, (_, column) => {
      const share = coverage((column - margin * size) * side, (row - margin * size) * side, side);
      return isOpaque
        ? color.map((channel) => Math.round(255 + (channel - 255) * share))
        : [...color, Math.round(255 * share)];
    }).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Bit depth 8; color type 2 is RGB, 6 is RGBA.
  header.set([8, isOpaque ? 2 : 6], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.from(rows.flat()), { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** An ICO file of PNG images: a header of 6 bytes, an entry of 16 bytes for each image, then the images. */
function ico(sizes: readonly number[]): Buffer {
  const images = sizes.map((size) => png(size, { margin: 0, isOpaque: false }));
  const header = Buffer.alloc(6 + 16 * sizes.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(sizes.length, 4);
  let offset = header.length;
  for (const [n, size] of sizes.entries()) {
    const entry = 6 + 16 * n;
    const { length = 0 } = images[n] ?? {};
    header.set([size, size], entry);
    // One plane, 32 bits per pixel.
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += length;
  }
  return Buffer.concat([header, ...images]);
}

/** Returns the content of src/http/generated/icons.ts. */
export function icons(): string {
  return `/** Images of the icon in Base64, generated by tools/icons.ts from ../icon.ts. */
export const favicon =
  '${ico([16, 32, 48]).toString('base64')}';

export const touchIcon =
  '${png(180, { margin: 0.1, isOpaque: true }).toString('base64')}';
`;
}
