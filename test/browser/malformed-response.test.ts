/** Chromium reads malformed responses as the header check does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { endOfHead, parseHead } from '../../src/edges/node/outbound/response-head.ts';
import { malformedHeads } from '../edges/node/outbound/malformed-heads.ts';
import { closePage, openBlank, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

test('reads the same headers of malformed responses, or shows an error', {
  skip: skipWithoutChromium(),
}, async (context) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      const [, name = ''] = /^GET \/(\w*)/.exec(bytes.toString()) ?? [];
      socket.end(malformedHeads[name]?.head ?? 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const page = await openBlank(await sharedBrowser(), {});
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let compared = 0;
  for (const [name, { head, values, isRejected, isAmbiguous }] of Object.entries(malformedHeads)) {
    if (isAmbiguous) continue;
    const read = `fetch('/${name}').then(({ headers }) => ['x-a', 'x-b'].map((name) => headers.get(name)), () => null)`;
    const found = await page.evaluate(read);
    assert.deepEqual(found, isRejected ? null : values, name);
    const octets = Buffer.from(head).toString('latin1');
    const parsed = parseHead(octets.slice(0, endOfHead(octets, 0)));
    const ours = ['x-a', 'x-b'].map((field) => parsed?.fields[field]?.[0] ?? null);
    if (!isRejected) assert.deepEqual(ours, found, name);
    compared += 1;
  }
  assert.ok(compared > 20);
  await closePage(page);
});
