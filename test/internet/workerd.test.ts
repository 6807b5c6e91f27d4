/** Lookups of the Worker on workerd, with the configuration for a machine of one's own: its network connects only to public addresses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { skipWithoutInternet } from './internet.ts';
import { serveForSuite, serveWorkerdIn } from './service.ts';

describe('workerd in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite(serveWorkerdIn);

  const check = async (url: string): Promise<string> => {
    const { body } = await simulated.service.request(`/api/headers-check?${new URLSearchParams({ url })}`);
    return JSON.parse(body).error ?? 'reached';
  };

  test('looks up sites and registrations', async () => {
    assert.equal(await check('https://well-kept.test/'), 'reached');
    const { status, body } = await simulated.service.request('/api/rdap?q=example.com');
    assert.equal(status, 200, body);
  });

  test('takes the scheme of a request from the proxy in front of it', async () => {
    for (const scheme of ['https', 'http']) {
      const headers = { 'X-Forwarded-Proto': scheme };
      const { body } = await simulated.service.request('/as/trace', { headers });
      assert.match(body, new RegExp(`^visit_scheme=${scheme}$`, 'm'));
    }
  });

  test('prints nothing of a lookup, with the documented command', async () => {
    const page = readFileSync(new URL('../../docs/deploy/cloudflare.md', import.meta.url), 'utf8');
    assert.match(page, /workerd serve docs\/deploy\/workerd\.capnp 2>\/dev\/null$/m);
    for (const name of ['other-name', 'expired', 'private', 'refused', 'no-such-name', 'well-kept'])
      await check(`https://${name}.test/`);
    await check('http://turns.rebind.test/');
    assert.doesNotMatch(simulated.service.printed(), /\.test/);
  });

  test('connects to no private address of a name that changes it (DNS rebinding)', async () => {
    // Two queries in a lookup: one of the Worker, one of the runtime. Each name starts at the public address.
    const outcomes = [];
    for (let turn = 0; turn < 40; turn++) outcomes.push(await check(`http://turn-${turn % 10}.rebind.test/`));
    assert.deepEqual(await simulated.internet.decoyHits(), []);
    assert.ok(outcomes.includes('target_unreachable'), 'no name changed between the check and the connection');
  });
});
