/**
 * What the section "DNS and WebRTC" of the start page states in the situations of visitors, in real browsers behind real resolvers and
 * firewalls. test-output/situations.txt has it as a table for people.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '../acceptance/proxies.ts';
import { runInNamespace, skipWithoutNamespaces, twoNetworks } from '../network-namespace.ts';
import { skipUnlessAll } from '../random.ts';
import { skipWithoutChromium } from './chromium.ts';
import { expectedOf, situations } from './situations.ts';
import type { Shown } from './situations-visitor.ts';

const scenario = fileURLToPath(new URL('situations-scenario.ts', import.meta.url));
const programs = ['ip', 'nft', 'nsenter', 'setpriv', 'nsd', 'unbound', 'pdns_recursor', 'dnsmasq'];
const skipFirefox = !isInstalled('firefox-esr') && !process.env.CI ? 'needs firefox-esr' : false;
const skip = skipUnlessAll || skipWithoutNamespaces(...programs) || skipWithoutChromium() || skipFirefox;

const output = join(import.meta.dirname, '../../test-output');

/** A line for each situation, with what the page states about it. */
function writeTable(shown: Readonly<Record<string, Shown>>): void {
  const lines = Object.entries(situations).flatMap(([name, { browser, versions }]) => {
    const { row = '', findings = [], ms = 0 } = shown[name] ?? {};
    const udp = findings.filter(([label]) => /^(?:WebRTC|UDP)/.test(label)).map(([label, text]) => `${label}: ${text}`);
    const of = versions.map((version) => `IPv${version}`).join('+');
    return [`${name} · ${browser}, ${of}, ${(ms / 1000).toFixed(1)} s`, `    ${row}`, `    ${udp.join(' · ')}`];
  });
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, 'situations.txt'), `${lines.join('\n')}\n`);
}

/** The sentences, with their labels, without names, addresses and numbers. */
const sentencesOf = (findings: readonly string[]): readonly string[] =>
  findings.map((line) => line.replace(/ \[.*/, '').replace(/(?<=provider|sites|by|not by): .*| by .*/, ''));

describe('on the start page', { skip, timeout: 900_000 }, () => {
  let shown: Readonly<Record<string, Shown>> = {};
  before(async () => {
    // Concurrently, each in a network of its own: for half of the time, both wait for responses that do not come.
    const run = (browser: string) => runInNamespace(`${twoNetworks}\n"$@" $peer`, scenario, [browser]);
    shown = Object.assign({}, ...(await Promise.all(['chromium', 'firefox'].map(run))));
    writeTable(shown);
  });

  for (const [name, { row, findings, browser }] of Object.entries(situations))
    test(`${name}: ${browser} shows what is true`, () => {
      const found = shown[name] ?? assert.fail();
      assert.deepEqual(expectedOf(found), { row, findings });
    });

  test('each browser, version and resolver is there at least twice, and each sentence in one situation and not in another', () => {
    const all = Object.values(situations);
    for (const values of [
      all.map(({ browser }) => browser),
      all.map(({ versions }) => versions.join()),
      all.flatMap(({ resolvers }) => resolvers),
      all.map(({ condition }) => condition).filter((each) => each === 'blocked' || each === 'changingPorts'),
    ])
      for (const [value, same] of Map.groupBy(values, (each) => each)) assert.ok(same.length >= 2, value);
    const sentences = all.map(({ findings }) => sentencesOf(findings));
    for (const sentence of new Set(sentences.flat()))
      assert.ok(!sentences.every((each) => each.includes(sentence)), sentence);
  });
});
