/** Runs in the namespace of a delegation: browsers with encrypted DNS beside the system's resolver, and Firefox, on the start page of the service. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openFirefox } from '../fingerprints/firefox.ts';
import { Delegation, dns } from '../internet/delegation.ts';
import { addresses, encryptedResolver } from '../internet/recursive-resolvers.ts';
import { launchOptions } from './chromium.ts';
import { readPage, type Shown } from './probes-scenario.ts';

/** Addresses of the resolvers that the page shows. */
export type Resolvers = readonly string[];

/** A browser with the page, and whether it is to use the encrypted resolver only. */
interface Visitor extends AsyncDisposable {
  readonly isEncrypted: boolean;
  /** Executes the body of a function in the page. */
  run(script: string): Promise<unknown>;
}

const runTest = `return (async () => {
  const button = document.querySelector('.run');
  button.click();
  while (button.ariaDisabled === 'true' || button.textContent === 'Run the test') await new Promise((resolve) => setTimeout(resolve, 50));
  return ${readPage};
})()`;

/** A browser that has not tried its encrypted resolver yet uses the system's, and a busy machine may take longer than a test waits. */
const maxRuns = 8;

async function resolversOf({ isEncrypted, run }: Visitor): Promise<Resolvers> {
  let shown: Resolvers = [];
  for (let at = 0; at < maxRuns; at += 1) {
    const { findings } = (await run(runTest)) as Shown;
    const [, , text = ''] = findings.find(([label]) => label === 'Resolver') ?? [];
    shown = text.split(/[\s,]+/).filter((each) => each !== '');
    if (shown.length > 0 && !(isEncrypted && shown.includes(addresses.resolver))) return shown;
  }
  return shown;
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
    isEncrypted: true,
    run: (script) => page.evaluate(`(() => { ${script} })()`),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function openFirefoxOn(url: string, preferences: Readonly<Record<string, unknown>>): Promise<Visitor> {
  const firefox = await openFirefox(preferences);
  await firefox.load(url);
  return { isEncrypted: 'network.trr.mode' in preferences, ...firefox };
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
// Firefox takes a private address for none.
const service = await delegation.serve({ ...dns, DNS_ADDRESSES: '25.3.0.1' });
const url = `${service.http}`;
const visits: Readonly<Record<string, () => Promise<Visitor>>> = {
  firefox: () => openFirefoxOn(url, {}),
  firefoxWithoutPrefetch: () => openFirefoxOn(url, { 'network.dns.disablePrefetch': true }),
  firefoxEncrypted: () => openFirefoxOn(url, trr),
  chromiumEncrypted: () => openChromium(url, delegation.folder, certificate),
};
const shown: Record<string, Resolvers> = {};
for (const name of process.argv.slice(2)) {
  await using visitor = await (visits[name] as () => Promise<Visitor>)();
  shown[name] = await resolversOf(visitor);
}
await service.close();
process.stdout.write(JSON.stringify(shown));
