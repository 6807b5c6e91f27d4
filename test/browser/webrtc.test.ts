/** What WebRTC of Chromium learns from the STUN server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openServer } from '../ingress/stun/stun-server.ts';
import { skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Gathers the candidates of a connection with these servers. */
const gather = `async (urls) => {
  const connection = new RTCPeerConnection({ iceServers: [{ urls }] });
  const found = [];
  connection.onicecandidate = ({ candidate }) => { if (candidate) found.push(candidate.candidate); };
  const complete = new Promise((resolve) => {
    connection.onicegatheringstatechange = () => { if (connection.iceGatheringState === 'complete') resolve(); };
  });
  connection.createDataChannel('');
  await connection.setLocalDescription();
  await complete;
  connection.close();
  return found;
}`;

test('the candidate that the server reflects has the address and port of the socket, from two ports only once', {
  skip: skipWithoutChromium(),
}, async (context) => {
  const { server, counts } = await openServer(context, { ports: [0, 0] });
  const browser = await sharedBrowser(['--allow-loopback-in-peer-connection']);
  const page = await browser.newPage();
  context.after(() => page.close());
  await page.goto('about:blank');
  const urls = server.ports.map((port) => `stun:127.0.0.1:${port}`);
  const candidates = (await page.evaluate(`(${gather})(${JSON.stringify(urls)})`)) as string[];
  const hostPorts = candidates.flatMap((each) => (/ (\d+) typ host/.exec(each) ?? []).slice(1));
  const reflected = candidates.flatMap((each) => (/ (\S+ \d+) typ srflx/.exec(each) ?? []).slice(1));
  assert.equal(reflected.length, 1, candidates.join('\n'));
  assert.ok(hostPorts.map((port) => `127.0.0.1 ${port}`).includes(reflected[0] ?? ''), candidates.join('\n'));
  assert.ok((counts.success ?? 0) >= 2);
  assert.deepEqual(Object.keys(counts), ['success']);
});
