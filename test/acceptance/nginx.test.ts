/** The acceptance suite through nginx, with its file of docs/deploy; proxy.heavy.test.ts runs it through all proxies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptanceThrough, proxiedEdges } from './proxied.ts';
import { isInstalled } from './proxies.ts';

const { nginx } = proxiedEdges;

test('finds nginx', (context) => {
  if (isInstalled(nginx.proxy.command)) return;
  assert.ok(!process.env.CI, 'nginx is not on this machine');
  context.skip('nginx is not on this machine: the acceptance suite did not run through a proxy');
});

if (isInstalled(nginx.proxy.command)) acceptanceThrough(nginx);
