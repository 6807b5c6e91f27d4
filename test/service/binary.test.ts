/** Binary bodies arrive unchanged through every runtime. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createService } from '../../src/edges/cloudflare/service.ts';
import { faviconBytes } from '../../src/http/site-files.ts';
import { startNode } from '../node-service.ts';

test('the Node edge and the Worker send the icon unchanged, and its length in the response to HEAD', async (t) => {
  const service = await startNode({ tlsPort: null });
  t.after(() => service.close());
  const worker = createService(
    {},
    { send: () => assert.fail('sent a request'), openCache: () => assert.fail('opened a cache'), log: () => {} },
  );
  const context = { waitUntil: () => {} };
  const requests = [
    (init: RequestInit) => fetch(`${service.http}/favicon.ico`, init),
    (init: RequestInit) => worker(new Request('https://seenby.example/favicon.ico', init), context),
  ];
  for (const send of requests) {
    const response = await send({ headers: { 'accept-encoding': 'gzip, br' } });
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), faviconBytes);
    const { headers } = await send({ method: 'HEAD' });
    assert.deepEqual(
      [headers.get('content-length'), headers.get('content-encoding')],
      [`${faviconBytes.length}`, null],
    );
  }
});
