/** Runs in the namespace of a delegation: browsers with encrypted DNS beside the system's resolver, and Firefox, on the start page of the service. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { openFirefox } from '../fingerprints/firefox.ts';
import { Delegation, dns } from '../internet/delegation.ts';
import { addresses, encryptedResolver } from '../internet/recursive-resolvers.ts';
import { launchOptions } from './chromium.ts';
import { readPage, type Shown } from './probes-scenario.ts';

export interface Visit {
  /** Addresses that the page shows. */
  readonly resolvers: readonly string[];
  /** Whether the browser also asked the resolver of the system for names of the test. */
  readonly asksSystem: boolean;
  /** What the page states about WebRTC and UDP, by label. */
  readonly udp: Readonly<Record<string, string>>;
}

interface Visitor extends AsyncDisposable {
  /** Executes the body of a function in the page. */
  run(script: string): Promise<unknown>;
}

const runTest = `return (async () => {
  const button = document.querySelector('.run');
  button.click();
  while (button.ariaDisabled === 'true' || button.textContent === 'Run the test') await new Promise((resolve) => setTimeout(resolve, 50));
  return ${readPage};
})()`;

/** A browser uses the system's resolver until it has tried the encrypted one, and a busy machine may take longer than the test of the page. */
const maxRuns = 8;
/** Time for queries that follow an answer without addresses. */
const laterMs = 1_000;

async function visit({ run }: Visitor, expected: string): Promise<Visit> {
  let found: Visit = { resolvers: [], asksSystem: false, udp: {} };
  for (let at = 0; at < maxRuns; at += 1) {
    const before = delegation.countQueries(dns.DNS_ZONE);
    const { findings } = (await run(runTest)) as Shown;
    const [, , text = ''] = findings.find(([label]) => label === 'Resolver') ?? [];
    await delay(laterMs);
    const resolvers = text.split(/[\s,]+/).filter((each) => each !== '');
    const udp = findings.flatMap(([label, stated]) => (/^(WebRTC|UDP)/.test(label) ? [[label, stated]] : []));
    found = {
      resolvers,
      asksSystem: delegation.countQueries(dns.DNS_ZONE) > before,
      udp: Object.fromEntries(udp),
    };
    if (at > 0 && resolvers.includes(expected)) break;
  }
  return found;
}

async function openChromium(url: string, folder: string, certificate: string): Promise<Visitor> {
  const profile = mkdtempSync(join(folder, 'profile-'));
  const localState = { dns_over_https: { mode: 'automatic', templates: encryptedResolver.url } };
  writeFileSync(join(profile, 'Local State'), JSON.stringify(localState));
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  const digest = createHash('sha256').update(key).digest('base64');
  const context = await chromium.launchPersistentContext(
    profile,
    launchOptions([`--ignore-certificate-errors-spki-list=${digest}`]),
  );
  const [page] = context.pages() as [Page];
  await page.goto(url);
  return {
    run: (script) => page.evaluate(`(() => { ${script} })()`),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function openFirefoxOn(url: string, preferences: Readonly<Record<string, unknown>>): Promise<Visitor> {
  const firefox = await openFirefox(preferences);
  await firefox.load(url);
  return firefox;
}

const trr = {
  // With the system's resolver as the fallback.
  'network.trr.mode': 2,
  'network.trr.uri': encryptedResolver.url,
  'network.trr.custom_uri': encryptedResolver.url,
  'network.trr.confirmationNS': 'skip',
};

using delegation = new Delegation();
const certificate = await delegation.startEncryptedResolver();
// A public address: browsers may take a private one for none.
const service = await delegation.serve({
  ...dns,
  DNS_ADDRESSES: '25.3.0.1',
  STUN_PORT: '3478',
  STUN_HOST: addresses.ipv4,
  STUN_MAPPING_TEST: 'on',
});
const url = `${service.http}`;
const visits: Readonly<Record<string, () => Promise<Visitor>>> = {
  firefox: () => openFirefoxOn(url, {}),
  firefoxWithoutPrefetch: () => openFirefoxOn(url, { 'network.dns.disablePrefetch': true }),
  firefoxEncrypted: () => openFirefoxOn(url, trr),
  chromiumEncrypted: () => openChromium(url, delegation.folder, certificate),
};
const [name = '', expected = ''] = process.argv.slice(2);
const visitor = await (visits[name] as () => Promise<Visitor>)();
const found = await visit(visitor, expected);
await visitor[Symbol.asyncDispose]();
await service.close();
process.stdout.write(JSON.stringify(found));
