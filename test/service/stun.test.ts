/** A service with a STUN server: its ports, what it tells pages about them, and what it counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Probes } from '../../src/resources/probes.ts';
import { findFreePort } from '../free-port.ts';
import { sendDatagrams } from '../ingress/stun/stun-server.ts';
import { startNode } from '../node-service.ts';
import { mappedAddressOf, stunMessage } from '../wire/stun-messages.ts';

test('answers STUN apart from its threads, limits each client, and counts what it did', async () => {
  const service = await startNode({
    host: '127.0.0.1',
    tlsPort: null,
    metricsPort: 0,
    stunPort: 0,
    rateLimitStun: 1_000,
  });
  try {
    const port = service.stun ?? assert.fail('no STUN');
    const { received, ownPort } = await sendDatagrams(port, [stunMessage({ cookie: 1 }), stunMessage()]);
    assert.deepEqual(received.map(mappedAddressOf), [`127.0.0.1:${ownPort}`]);
    // Counts are reported at intervals.
    for (let metrics = ''; !/^seenby_stun_requests_total\{result="success"\} (?:[2-9]|\d{2})/m.test(metrics); )
      metrics = await (await fetch(`${service.metrics}`)).text();
  } finally {
    await service.close();
  }
});

test('tells pages host and ports, of PUBLIC_URL if no other host is set', async () => {
  const probesOf = async (changed: Parameters<typeof startNode>[0]) => {
    const service = await startNode({ host: '127.0.0.1', tlsPort: null, ...changed });
    try {
      return Probes.parse(await (await fetch(`${service.http}/api/probes`)).json()).stun;
    } finally {
      await service.close();
    }
  };
  const publicUrl = 'https://seenby.example:8443';
  const stunPort = await findFreePort();
  assert.equal(await probesOf({ publicUrl }), null);
  assert.equal(await probesOf({ stunPort }), null);
  // The service does not know the port before it starts.
  assert.equal(await probesOf({ stunPort: 0, publicUrl }), null);
  assert.deepEqual(await probesOf({ stunPort, publicUrl }), {
    host: 'seenby.example',
    port: stunPort,
    mappingPort: null,
  });
  assert.deepEqual((await probesOf({ stunPort, publicUrl, stunHost: '2001:db8::1' }))?.host, '2001:db8::1');
});
