/** deploy/fleet: its files are valid and name each other, and their parts run together. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Namespace, Service } from 'kubernetes-models/v1';
import { readSettings, settingNames, variableOf } from '../../src/core/settings.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { assertComposeFile } from './compose-schema.ts';
import { parseVariables, readCompose, readFleetFile, readKubernetes } from './fleet-files.ts';

const secrets = { RATE_LIMIT_SECRET: '5'.repeat(64), STORE_PASSWORD: '7'.repeat(64) };
const variables = { ...parseVariables(readFleetFile('settings.example')), ...secrets };
const services = readCompose(variables);
const haproxy = readFleetFile('haproxy.cfg');
const objects = readKubernetes();
const known = new Set<string>(settingNames.map(variableOf));

/** Settings that are valid together. */
function settingsOf(environment: Readonly<Record<string, string>>) {
  const settings = readSettings({}, environment);
  if ('problem' in settings) throw new Error(settings.problem);
  return settings;
}

test('the Compose file is valid, and starts only with both secrets', () => {
  assertComposeFile(readFleetFile('compose.yaml'));
  for (const name of ['RATE_LIMIT_SECRET', 'STORE_PASSWORD'])
    assert.throws(() => readCompose({ ...variables, [name]: '' }), new RegExp(`^Error: ${name}: append it to .env`));
});

test('HAProxy and the settings of the instances name the same addresses and ports', () => {
  const instances = Object.entries(services).filter(([name]) => name.startsWith('seenby-'));
  assert.ok(instances.length >= 2);
  const addressOf = (name: string): string => `${services[name]?.networks.fleet.ipv4_address}`;
  for (const [name, { environment = {} }] of instances) {
    assert.deepEqual(
      Object.keys(environment).filter((each) => !known.has(each)),
      [],
    );
    const settings = settingsOf({ ...variables, ...environment });
    for (const port of [settings.port, settings.tlsPort])
      assert.ok(haproxy.includes(`  server ${name} ${addressOf(name)}:${port}\n`), `${name}:${port}`);
    assert.ok(haproxy.includes(` check port ${settings.metricsPort} `));
    assert.equal(environment.TRUST_PROXY, addressOf('haproxy'));
    assert.ok(environment.RATE_LIMIT_STORE?.endsWith(`@${addressOf('valkey')}`));
    assert.ok(settings.proxyProtocol);
  }
  assert.equal(haproxy.match(/^ {2}server /gm)?.length, 2 * instances.length);
});

test('the objects for Kubernetes are valid by their schemas', () => {
  const kinds: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
    Deployment,
    HorizontalPodAutoscaler,
    Namespace,
    NetworkPolicy,
    PodDisruptionBudget,
    PodMonitor,
    Service,
  };
  const found = new Set<string>();
  for (const [name, object] of Object.entries(objects)) {
    const Kind = kinds[object.kind];
    assert.ok(Kind !== undefined, name);
    new Kind(object as never).validate();
    found.add(object.kind);
  }
  assert.deepEqual([...found].toSorted(), Object.keys(kinds).toSorted());
});

test('the pods have valid settings, and the other objects name their labels and ports', () => {
  const deployment = objects['Deployment seenby'];
  const { labels } = deployment.spec.template.metadata;
  const [container] = deployment.spec.template.spec.containers;
  const ports: readonly { readonly name: string; readonly containerPort: number }[] = container.ports;
  const environment: Record<string, string> = { ...variables };
  for (const { name, value = '' } of container.env)
    if (known.has(name)) environment[name] = value.replace('$(STORE_PASSWORD)', secrets.STORE_PASSWORD);
  const { port, tlsPort, metricsPort } = settingsOf(environment);
  assert.deepEqual(Object.fromEntries(ports.map((each) => [each.name, each.containerPort])), {
    http: port,
    https: tlsPort,
    metrics: metricsPort,
  });
  for (const name of ['PodDisruptionBudget seenby', 'PodMonitor seenby'])
    assert.deepEqual(objects[name].spec.selector, { matchLabels: labels });
  assert.deepEqual(objects['Service seenby'].spec.selector, labels);
  assert.deepEqual(objects['PodMonitor seenby'].spec.podMetricsEndpoints[0].port, 'metrics');
  assert.equal(objects['HorizontalPodAutoscaler seenby'].spec.scaleTargetRef.name, deployment.metadata.name);
  const { host } = new URL(`${environment.RATE_LIMIT_STORE}`);
  assert.equal(host, objects['Service valkey'].metadata.name);
});

test('both stores have the user that the documentation names', () => {
  const page = readFileSync(new URL('../../docs/deploy/store.md', import.meta.url), 'utf8');
  const [, user = ''] = /^user seenby on >PASSWORD (.*)$/m.exec(page) ?? [];
  const words = objects['Deployment valkey'].spec.template.spec.containers[0].command;
  const wordsOf = (command: readonly string[]): string =>
    command.join(' ').replace('$(STORE_PASSWORD)', 'PASSWORD').replace(secrets.STORE_PASSWORD, 'PASSWORD');
  for (const command of [words, services.valkey?.command ?? []])
    assert.ok(wordsOf(command).endsWith(` --user default off --user seenby on >PASSWORD ${user}`), wordsOf(command));
});

const setUp = `
  set -e
  ip link set lo up
  ip link add fleet type bridge
  ip addr add 172.31.252.1/24 dev fleet
  for n in 1 9 11 12 13; do ip addr add 203.0.113.$n/32 dev fleet; done
  ip link set fleet up
  "$@"
`;
const scenario = fileURLToPath(new URL('fleet-scenario.ts', import.meta.url));

interface Outcome {
  readonly served: number;
  readonly failures: readonly string[];
}

type Outcomes = Readonly<Record<string, Outcome>>;

const run = async (part: 'store' | 'instances') => (await runInNamespace(setUp, scenario, [part])) as Outcomes;

function assertServed(outcomes: Outcomes): void {
  for (const [name, { served, failures }] of Object.entries(outcomes))
    assert.deepEqual([failures, served >= 20], [[], true], name);
}

// Concurrently, because both wait for most of their time.
describe('the fleet', {
  concurrency: true,
  skip: skipWithoutNamespaces('haproxy', 'redis-server'),
}, () => {
  test('has exact limits over the instances, and no request fails while one is replaced', async () => {
    const { limits, killed, ...others } = await run('instances');
    assert.deepEqual(limits, { address: '203.0.113.1', accepted: 20, rejected: 20 });
    // Each client may have had a request in progress on it.
    assert.ok(killed !== undefined && killed.failures.length <= 3, JSON.stringify(killed));
    assert.deepEqual(Object.keys(others), ['upgraded']);
    assertServed(others);
  });

  test('fails no request while its store fails', async () => {
    const outcomes = await run('store');
    assert.deepEqual(Object.keys(outcomes), ['killed', 'paused', 'full', 'readOnly', 'password', 'certificate']);
    assertServed(outcomes);
  });
});
