/** The test of DNS on the start page of the real service, through a real resolver. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programs, setUp } from '../internet/delegation.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { skipWithoutChromium } from './chromium.ts';
import type { Shown, VisitName } from './probes-scenario.ts';

const scenario = fileURLToPath(new URL('probes-scenario.ts', import.meta.url));
const visits: readonly VisitName[] = ['other', 'sameOrganization', 'noPrediction', 'overIpv6'];

const resolver = ['Resolver', 'Another provider: Example Resolver Ltd (AS64500)', '10.53.0.4'];
/** As unbound is configured. */
const disclosed = [
  ['Your network', 'Disclosed to sites: 10.53.0.0/24', ''],
  ['DNSSEC', 'The resolver requests signatures', ''],
];

describe('in Chromium, through unbound', { skip: skipWithoutNamespaces(...programs) || skipWithoutChromium() }, () => {
  let shown: Readonly<Record<VisitName, Shown>>;
  before(async () => {
    shown = (await runInNamespace(setUp, scenario, visits)) as typeof shown;
  });

  test('the page names the resolver that asked, and what its queries disclose', () => {
    const { findings, status, row } = shown.other;
    assert.deepEqual(findings, [resolver, ...disclosed]);
    assert.match(status, /^Resolver: Another provider: Example Resolver Ltd \(AS64500\)\. Your network: /);
    assert.equal(row, resolver[1]);
  });

  test('another network of the same organization is the provider of the visitor', () => {
    assert.deepEqual(shown.sameOrganization.findings[0], [
      'Resolver',
      'Your provider: Example Resolver Ltd (AS64500)',
      '10.53.0.4',
    ]);
  });

  test('names are requested only if the browser ignores hints, so that nothing else reaches the service', () => {
    const requestsOf = (name: VisitName) => shown[name].complaints.filter((each) => /Failed to load/.test(each)).length;
    assert.equal(requestsOf('other'), 0);
    assert.equal(requestsOf('noPrediction'), 6);
    assert.deepEqual(shown.noPrediction.findings[0], ['Resolver', 'Example Resolver Ltd (AS64500)', '10.53.0.4']);
  });

  test('a resolver that asks over IPv6 is found', () => {
    assert.deepEqual(shown.overIpv6.findings, [['Resolver', resolver[1], 'fd53::4'], ...disclosed]);
  });
});
