/** The tests of DNS and WebRTC in Firefox, and in browsers with encrypted DNS: they must not cause the leak that they look for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '../acceptance/proxies.ts';
import { programs, setUp } from '../internet/delegation.ts';
import { addresses } from '../internet/recursive-resolvers.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { skipUnlessAll } from '../random.ts';
import { skipWithoutChromium } from './chromium.ts';
import type { Visit } from './probes-encrypted-scenario.ts';

const scenario = fileURLToPath(new URL('probes-encrypted-scenario.ts', import.meta.url));
const skipFirefox = !isInstalled('firefox-esr') && !process.env.CI ? 'needs firefox-esr' : false;

for (const [name, visit, resolver, skip] of [
  ['Firefox shows the resolver of the system', 'firefox', addresses.resolver, skipFirefox],
  ['so it does without prefetches, by requests', 'firefoxWithoutPrefetch', addresses.resolver, skipFirefox],
  ['Firefox with encrypted DNS (TRR mode 2) shows that alone', 'firefoxEncrypted', addresses.encrypted, skipFirefox],
  [
    'Chromium with encrypted DNS (automatic) shows that alone',
    'chromiumEncrypted',
    addresses.encrypted,
    skipWithoutChromium(),
  ],
] as const)
  test(name, { skip: skipUnlessAll || skipWithoutNamespaces(...programs) || skip, timeout: 300_000 }, async () => {
    const { udp, ...found } = (await runInNamespace(setUp, scenario, [visit, resolver])) as Visit;
    assert.deepEqual(found, { resolvers: [resolver], asksSystem: resolver === addresses.resolver });
    // The service has no IPv6 address.
    assert.deepEqual(Object.keys(udp), ['WebRTC, IPv4', 'UDP ports']);
    assert.match(udp['WebRTC, IPv4'] ?? '', /^Shows (?:the same|another) address/);
    assert.equal(udp['UDP ports'], 'The same port for both destinations');
  });
