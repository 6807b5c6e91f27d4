/** The test of WebRTC on the start page, with the real STUN server, and where its responses do not arrive. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { before, describe, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { decodeBindingRequest, encodeSuccess } from '../../src/wire/stun.ts';
import { openServer } from '../ingress/stun/stun-server.ts';
import { axeFindings } from './axe.ts';
import { applicationOf, closePage, openBrowser, openPage, patience, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A destination behind a NAT that maps by destination, which it sees under this port; null: it never responds. */
async function openDestination(context: TestContext, seenPort: number | null): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => socket.close());
  await once(socket, 'listening');
  socket.on('message', (message, { address, port }) => {
    const request = decodeBindingRequest(message);
    if (request === null || seenPort === null) return;
    socket.send(encodeSuccess(request, new Uint8Array([198, 51, 100, 7]), seenPort), port, address);
  });
  return socket.address().port;
}

describe('in Chromium, the test of WebRTC', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    // A machine may have no other interface.
    browser = await sharedBrowser(['--allow-loopback-in-peer-connection']);
  });

  /** The findings of the page at this address, as lines. */
  async function findingsWith(ports: readonly number[], { ip = '127.0.0.1', script = '' } = {}): Promise<string[]> {
    const [port = 0, mappingPort = null] = ports;
    const probes = { dns: null, stun: { host: '127.0.0.1', port, mappingPort }, portCheck: false };
    const { page, requests, complaints } = await openPage(browser, applicationOf({ ip }, {}, { probes }));
    await page.addInitScript(script);
    await page.goto('/');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    const lines = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.test dt')].map((term) => term.textContent + ': ' + term.nextElementSibling.querySelector('b').textContent)`,
    );
    assert.deepEqual([complaints, requests.filter((url) => !/\/(?:ip|round-trips)?$/.test(url))], [[], []]);
    // Only DNS has a row on the first screen.
    assert.equal(await page.locator('.overview .tested').count(), 0);
    await closePage(page);
    return lines;
  }

  test('shows the address that the server saw, and the mapping', async (context) => {
    const { server } = await openServer(context, { ports: [0, 0] });
    assert.deepEqual(await findingsWith(server.ports), [
      'WebRTC, IPv4: Shows the same address as the page',
      'UDP ports: The same port for both destinations',
    ]);
    assert.deepEqual(await findingsWith(server.ports.slice(1), { ip: '192.0.2.1' }), [
      'WebRTC, IPv4: Shows a different address than the page',
    ]);
    assert.deepEqual(await findingsWith(server.ports.slice(1), { ip: '2001:db8::1' }), [
      'WebRTC, IPv4: Shows an address that cannot be compared',
      'WebRTC, IPv6: Not tested',
    ]);
  });

  test('compares with the address of the other IP version, even if the page is still requesting it', async (context) => {
    const { server } = await openServer(context);
    const stun = { host: '127.0.0.1', port: server.ports[0] ?? 0, mappingPort: null };
    const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
    const deployment = { ...hosts, probes: { dns: null, stun, portCheck: false } };
    const over4 = applicationOf({ ip: '127.0.0.1' });
    const respond = Promise.withResolvers<void>();
    const { page } = await openPage(
      browser,
      applicationOf({ ip: '2001:db8::1' }, {}, deployment),
      {},
      {
        [hosts.publicUrlV4]: (request) => respond.promise.then(() => over4(request)),
        [hosts.publicUrlV6]: applicationOf({ ip: '2001:db8::1' }),
      },
    );
    await page.addInitScript(`${patience}
      globalThis.gathered = new Promise((resolve) => {
        RTCPeerConnection = class extends RTCPeerConnection { close() { super.close(); resolve(); } };
      });`);
    await page.goto('/');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.evaluate('gathered');
    respond.resolve();
    await page.locator('.test').getByText('Shows the same address as the page').waitFor({ timeout: 20_000 });
    await closePage(page);
  });

  test('finds a mapping by destination', async (context) => {
    const ports = [await openDestination(context, 1000), await openDestination(context, 1001)];
    assert.deepEqual(await findingsWith(ports, { ip: '198.51.100.7' }), [
      'WebRTC, IPv4: Shows the same address as the page',
      'UDP ports: A different port for each destination',
    ]);
  });

  test('states no mapping if one destination does not respond, and no address if none does', async (context) => {
    const [seen, silent, other] = await Promise.all([1000, null, null].map((port) => openDestination(context, port)));
    assert.ok(seen && silent && other);
    assert.deepEqual(await findingsWith([seen, silent], { ip: '198.51.100.7' }), [
      'WebRTC, IPv4: Shows the same address as the page',
      'UDP ports: Not compared',
    ]);
    assert.deepEqual(await findingsWith([silent, other]), ['WebRTC: No response over UDP']);
  });

  test('a failure of one IP version, as of a server without IPv6, leaves the other comparable', async (context) => {
    const { server } = await openServer(context, { ports: [0, 0] });
    const script = `RTCPeerConnection = class extends RTCPeerConnection {
      constructor(configuration) {
        super(configuration);
        for (const url of configuration.iceServers[0].urls)
          setTimeout(() => this.dispatchEvent(new RTCPeerConnectionIceErrorEvent('icecandidateerror', { url, errorCode: 701 })));
      }
    }`;
    assert.deepEqual(await findingsWith(server.ports, { script }), [
      'WebRTC, IPv4: Shows the same address as the page',
      'UDP ports: The same port for both destinations',
    ]);
  });

  test('a browser without WebRTC, or in which it fails, has a result too', async () => {
    for (const script of [
      'delete globalThis.RTCPeerConnection',
      'RTCPeerConnection = class { constructor() { throw 1; } }',
    ])
      assert.deepEqual(await findingsWith([9], { script }), ['WebRTC: Not available']);
  });
});

describe('in Chromium that hides addresses, the test of WebRTC', { skip: skipWithoutChromium() }, () => {
  test('states that WebRTC shows no address', async (context) => {
    const { server } = await openServer(context);
    const browser = await openBrowser(['--webrtc-ip-handling-policy=disable_non_proxied_udp']);
    context.after(() => browser.close());
    const stun = { host: '127.0.0.1', port: server.ports[0] ?? 0, mappingPort: null };
    const deployment = { probes: { dns: null, stun, portCheck: false } };
    const { page } = await openPage(browser, applicationOf({}, {}, deployment));
    await page.goto('/');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.locator('.test').getByText('Shows no address').waitFor();
    assert.deepEqual(await axeFindings(page, ['.test']), []);
  });
});
