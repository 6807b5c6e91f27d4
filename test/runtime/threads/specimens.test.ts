/** The visits of the service to itself: their objects exist for each protocol, and they count nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unobserved } from '../../../src/core/observed.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { NodeRequest } from '../../../src/edges/node/observe.ts';
import type { Exchange } from '../../../src/ingress/exchange.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import { makeSpecimens } from '../../../src/runtime/threads/specimens.ts';

const geoip = { locate: () => unobserved.location, autonomousSystem: () => unobserved.autonomousSystem } as never;

const specimensWith = async (certificate: Parameters<typeof makeSpecimens>[0]['certificate']) => {
  const protocols: string[] = [];
  const handler = {
    handle(exchange: Exchange) {
      protocols.push(`${exchange.connection.isSecure ? 'TLS ' : ''}${exchange.protocol}`);
      exchange.respond({ status: 200, headers: {}, body: 'response' });
    },
    onError: assert.fail,
    reject: () => assert.fail(),
    defaultAuthority: () => 'localhost',
  };
  const specimens = await makeSpecimens({ bounds, site: { geoip, colo: null }, handler, certificate });
  return { specimens, protocols };
};

test('visits each protocol several times, and returns what the visits were made of', async () => {
  const { specimens, protocols } = await specimensWith(await createLocalhostCertificate());
  assert.deepEqual(new Set(protocols), new Set(['HTTP/1.1', 'TLS HTTP/1.1', 'TLS HTTP/2']));
  assert.equal(protocols.length, 12);
  const names = new Set(specimens.map((each) => each.constructor.name));
  for (const name of [
    'Socket',
    'TLSSocket',
    'Connection',
    'Http1',
    'Http2',
    'ServerResponse',
    'Message',
    'NodeRequest',
  ])
    assert.ok(names.has(name), `${name}: ${[...names].join()}`);
  // Of no other client than the service itself.
  const requests = specimens.filter((each) => each instanceof NodeRequest);
  assert.deepEqual(new Set(requests.map(({ ip, rateKey }) => ip + rateKey)), new Set(['127.0.0.1']));
});

test('visits only the port that is on', async () => {
  assert.deepEqual(new Set((await specimensWith(null)).protocols), new Set(['HTTP/1.1']));
});
