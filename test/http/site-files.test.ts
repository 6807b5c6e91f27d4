/** robots.txt, security.txt, icons and health checks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { createApp } from '../../src/http/app.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { faviconBytes, robotsTxt, securityTxt, touchIconBytes } from '../../src/http/site-files.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { contextOf, noBody, siteOf } from '../request-context.ts';

test('robots.txt allows pages, and disallows everything that is or may be a lookup', () => {
  assert.equal(
    robotsTxt(endpoints),
    'User-agent: *\nDisallow: /host\nDisallow: /api/\nDisallow: /lookup/\nDisallow: /as/\nAllow: /\n',
  );
});

test('security.txt has the contact as a URI, and expires within a year', () => {
  const now = () => Date.UTC(2026, 10, 21, 13, 0, 0);
  for (const [contact, uri] of [
    [{ email: 'security@seenby.example' }, 'mailto:security@seenby.example'],
    [{ url: 'https://seenby.example/contact' }, 'https://seenby.example/contact'],
  ] as const) {
    const text = securityTxt(contextOf({ ...siteOf({ contact }), platform: platformOf({ now }) }));
    assert.equal(
      text,
      `Contact: ${uri}\nExpires: 2027-05-20T00:00:00.000Z\nPreferred-Languages: en\nCanonical: https://seenby.example/.well-known/security.txt\n`,
    );
  }
  assert.throws(() => securityTxt(contextOf()), { code: 'not_found' });
});

test('health checks are not counted, and readiness ends when the service drains', async () => {
  const counted: string[] = [];
  const app = createApp({ publicUrl: null, contact: null });
  const respond = async (path: string, isDraining: boolean) => {
    const platform = platformOf({
      limit: () => assert.fail('counted against a rate'),
      count: (endpoint) => counted.push(endpoint),
      isDraining: () => isDraining,
    });
    const { status, headers, body } = await app({ ...seenAll, path }, platform, noBody);
    return [status, body, headers['Content-Type']];
  };
  const type = 'text/plain; charset=utf-8';
  assert.deepEqual(await respond('/healthz', false), [200, 'ok\n', type]);
  assert.deepEqual(await respond('/healthz', true), [200, 'ok\n', type]);
  assert.deepEqual(await respond('/readyz', false), [200, 'ready\n', type]);
  assert.deepEqual(await respond('/readyz', true), [503, 'draining\n', type]);
  assert.deepEqual(counted, []);
});

test('the icons are images of the stated sizes', () => {
  const favicon = Buffer.from(faviconBytes);
  assert.deepEqual([favicon.readUInt16LE(0), favicon.readUInt16LE(2), favicon.readUInt16LE(4)], [0, 1, 3]);
  for (const [n, size] of [16, 32, 48].entries()) {
    const entry = favicon.subarray(6 + 16 * n);
    const length = entry.readUInt32LE(8);
    const offset = entry.readUInt32LE(12);
    assert.equal(entry[0], size);
    assertPng(favicon.subarray(offset, offset + length), size, 4);
  }
  assertPng(Buffer.from(touchIconBytes), 180, 3);
});

/** Reads the header and the pixels of a PNG file with one IDAT chunk: corners are empty, the center is covered. */
function assertPng(png: Buffer, size: number, channels: 3 | 4): void {
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [size, size]);
  const start = png.indexOf('IDAT');
  const pixels = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  assert.equal(pixels.length, size * (1 + size * channels));
  const pixelAt = (x: number, y: number) => {
    const at = y * (1 + size * channels) + 1 + x * channels;
    return [...pixels.subarray(at, at + channels)];
  };
  assert.deepEqual(pixelAt(size / 2, size / 2), [0x1c, 0x9c, 0x83, ...(channels === 4 ? [255] : [])]);
  assert.equal(pixelAt(0, 0).at(-1), channels === 4 ? 0 : 255);
}
