/**
 * docs/deploy/traefik.compose.yaml and traefik.yaml: their parts name each other, and the settings of Seenby are valid. Traefik itself is not
 * in Debian, so what it does with them is not tested.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { prefixOf } from '../../src/core/address.ts';
import { readSettings, settingNames, variableOf } from '../../src/core/settings.ts';
import { isTrusted } from '../../src/edges/proxy/forwarded.ts';

const folder = new URL('../../docs/deploy/', import.meta.url);
const read = (name: string) => parse(readFileSync(new URL(name, folder), 'utf8'));
/** Headers of Traefik that are neither the client's nor read by Seenby. */
const removed = ['X-Forwarded-Port', 'X-Forwarded-Server', 'X-Real-Ip'];

test('by Docker labels: Seenby trusts the address that Traefik has, and no port leads past it', () => {
  const { services, networks } = read('traefik.compose.yaml');
  const { traefik, seenby } = services;
  assert.equal(seenby.ports, undefined);
  for (const name of Object.keys(seenby.environment))
    assert.ok(
      settingNames.some((each) => variableOf(each) === name),
      name,
    );
  const settings = readSettings({}, seenby.environment);
  assert.ok(!('problem' in settings));
  const address = traefik.networks.proxy.ipv4_address;
  assert.ok(isTrusted(settings.trustProxy, address) && !isTrusted(settings.trustProxy, '172.31.253.1'));
  const { subnet, ip_range: range } = networks.proxy.ipam.config[0];
  assert.ok(isTrusted([prefixOf(subnet)], address));
  // Otherwise, Docker may have given the address to Seenby when Traefik starts.
  assert.ok(!isTrusted([prefixOf(range)], address));
  const { context, dockerfile } = seenby.build;
  assert.ok(existsSync(new URL(`${context}/${dockerfile}`, folder)));
  const { labels } = seenby;
  assert.equal(labels['traefik.http.services.seenby.loadbalancer.server.port'], `${settings.port}`);
  const points = traefik.command.flatMap((flag: string) => /^--entrypoints\.(\w+)\.address=/.exec(flag)?.[1] ?? []);
  const used = Object.entries(labels).flatMap(([name, value]) => (name.endsWith('.entrypoints') ? [value] : []));
  assert.deepEqual(used.toSorted(), points.toSorted());
  const named = Object.entries(labels).flatMap(([name, value]) => (name.endsWith('.middlewares') ? [value] : []));
  const [middleware] = named;
  assert.deepEqual(
    named,
    used.map(() => middleware),
  );
  const prefix = `traefik.http.middlewares.${middleware}.headers.customrequestheaders.`;
  const emptied = Object.keys(labels).filter((name) => name.startsWith(prefix) && labels[name] === '');
  assert.deepEqual(
    emptied.map((name) => name.slice(prefix.length)),
    removed,
  );
  const resolver = labels['traefik.http.routers.seenby.tls.certresolver'];
  assert.ok(traefik.command.some((flag: string) => flag.startsWith(`--certificatesresolvers.${resolver}.acme.`)));
  assert.ok(!traefik.command.some((flag: string) => flag.startsWith('--accesslog')));
});

test('by a file: routers, middleware and service name each other', () => {
  const { routers, middlewares, services } = read('traefik.yaml').http;
  for (const router of Object.values<{ service: string; middlewares: string[]; rule: string }>(routers)) {
    assert.ok(router.service in services);
    const [middleware = ''] = router.middlewares;
    assert.deepEqual(
      middlewares[middleware].headers.customRequestHeaders,
      Object.fromEntries(removed.map((name) => [name, ''])),
    );
    assert.equal(router.rule, 'Host(`seenby.example`)');
  }
  assert.deepEqual(services.seenby.loadBalancer.servers, [{ url: 'http://127.0.0.1:8080' }]);
});
