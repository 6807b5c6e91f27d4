/** The settings that have an effect on a Worker are those that its documents name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Deployment } from '../../src/core/request-context.ts';
import { type SettingName, variableOf } from '../../src/core/settings.ts';

/** Settings that the application shows or applies; limits are bindings there. The compiler requires each. */
const ofDeployment: Readonly<Record<Exclude<keyof Deployment & SettingName, `rateLimit${string}`>, true>> = {
  publicUrl: true,
  publicUrlV4: true,
  publicUrlV6: true,
  contact: true,
};
/** Settings that lookups read in `src/edges/cloudflare/service.ts`. */
const ofLookups: readonly SettingName[] = ['dohUrl', 'rdapBootstrapUrl'];

const variables = [...(Object.keys(ofDeployment) as SettingName[]), ...ofLookups].map(variableOf).toSorted();

const readDocument = (name: string): string =>
  readFileSync(new URL(`../../docs/deploy/${name}`, import.meta.url), 'utf8');

test('docs/deploy/cloudflare.md lists them', () => {
  const [, list = ''] =
    /as `--var [^`]*`:\s([^.]*?), as in \[configuration\]/.exec(readDocument('cloudflare.md')) ?? [];
  assert.deepEqual([...list.matchAll(/`([A-Z\d_]+)`/g)].map(([, name]) => name).toSorted(), variables);
});

test('docs/deploy/workerd.capnp passes them on', () => {
  const bindings = [
    ...readDocument('workerd.capnp').matchAll(/\(name = "([A-Z\d_]+)", fromEnvironment = "([A-Z\d_]+)"\)/g),
  ];
  for (const [, name, variable] of bindings) assert.equal(name, variable);
  assert.deepEqual(bindings.map(([, name]) => name).toSorted(), variables);
});
