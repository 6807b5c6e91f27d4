/** docs/deploy/kubernetes.yaml is valid by Kubernetes' schemas, and names only settings, ports and paths of the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { isPublicAddress, parseAddress } from '../../src/core/address.ts';
import { readSettings, settingNames, variableOf } from '../../src/core/settings.ts';
import { endpoints } from '../../src/http/endpoints.ts';

const file = new URL('../../docs/deploy/kubernetes.yaml', import.meta.url);
const [deployment, service, policy] = parseAllDocuments(readFileSync(file, 'utf8')).map((each) => each.toJS());
const [container] = deployment.spec.template.spec.containers;
const environment: Record<string, string> = Object.fromEntries(
  container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
);

test('every object is valid by its schema', () => {
  new Deployment(deployment).validate();
  new Service(service).validate();
  new NetworkPolicy(policy).validate();
});

test('the schemas reject a wrong type and a missing member', () => {
  assert.throws(() => new Deployment({ ...deployment, spec: { ...deployment.spec, replicas: 'two' } }).validate());
  assert.throws(() => new Deployment({ ...deployment, spec: { replicas: 2 } } as never).validate());
});

test('the settings are valid together', () => {
  const known = new Set<string>(settingNames.map(variableOf));
  assert.deepEqual(
    Object.keys(environment).filter((name) => !known.has(name)),
    [],
  );
  assert.ok(!('problem' in readSettings({}, environment)));
});

test('the probes request endpoints of the service, on ports that it has', () => {
  const paths = new Set<string>(endpoints.map(({ path }) => path));
  const ports = new Map<string, number>(
    container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
  );
  for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
    assert.ok(paths.has(httpGet.path), httpGet.path);
    assert.ok(ports.has(httpGet.port));
  }
  for (const { targetPort } of service.spec.ports) assert.ok(ports.has(targetPort));
  const settings = readSettings({}, environment);
  assert.ok(!('problem' in settings));
  const { port, tlsPort, http3Port, metricsPort } = settings;
  assert.deepEqual(Object.fromEntries(ports), { http: port, https: tlsPort, http3: http3Port, metrics: metricsPort });
});

test('the root file system is read-only, and what is written has a volume', () => {
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
  assert.deepEqual(mounts, ['/data', '/tmp', '/certificates']);
});

test('lookups reach no private address', () => {
  const [, { to }] = policy.spec.egress;
  const [{ ipBlock }] = to;
  for (const block of ipBlock.except) {
    const address = parseAddress(block.split('/')[0]);
    assert.ok(address !== null && !isPublicAddress(address), block);
  }
  for (const required of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8'])
    assert.ok(ipBlock.except.includes(required), required);
  assert.deepEqual(to[1], { ipBlock: { cidr: '2000::/3' } });
});
