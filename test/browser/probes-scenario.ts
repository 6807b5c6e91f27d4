/** Runs in the namespace of a delegation: Chromium on the start page of the real service; prints what the page shows in each case. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { clients, Delegation, dns, dnsIpv6 } from '../internet/delegation.ts';
import { launchOptions } from './chromium.ts';

export interface Shown {
  /** Label, text and addresses of each finding. */
  readonly findings: readonly (readonly [label: string, text: string, addresses: string])[];
  /** What is announced to screen readers. */
  readonly status: string;
  /** The row of the first screen; null without one. */
  readonly row: string | null;
  /** Errors of the page and of its policy, and requests that failed. */
  readonly complaints: readonly string[];
}

const services = { ipv4: { ...dns, PORT_CHECK: 'on' }, ipv6: dnsIpv6 };

interface Visit {
  readonly service: keyof typeof services;
  /** Of Chromium's profile. */
  readonly preferences?: object;
  /** The visitor's address, as a trusted proxy reports it; default: that of the connection. */
  readonly ip?: string;
}

const visits = {
  other: { service: 'ipv4', ip: clients.other },
  sameOrganization: { service: 'ipv4', ip: clients.sameOrganization },
  noPrediction: { service: 'ipv4', preferences: { net: { network_prediction_options: 2 } } },
  overIpv6: { service: 'ipv6', ip: clients.other },
} satisfies Readonly<Record<string, Visit>>;

export type VisitName = keyof typeof visits;

/** An expression. */
export const readPage = `(() => {
  const text = (element) => element?.textContent ?? '';
  const findings = [...document.querySelectorAll('.test dt')].map((dt) => {
    const dd = dt.nextElementSibling;
    return [text(dt), text(dd.querySelector('b')), text(dd.querySelector('.mono'))];
  });
  const row = document.querySelector('.overview .tested dd');
  return { findings, status: text(document.getElementById('status')), row: row && text(row) };
})()`;

const maxRuns = 5;

/** Opens a browser with these preferences in its profile. */
async function openProfile(preferences: object, folder: string): Promise<BrowserContext> {
  const profile = mkdtempSync(join(folder, 'profile-'));
  mkdirSync(join(profile, 'Default'));
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
  return chromium.launchPersistentContext(profile, launchOptions([]));
}

/** Opens the page and presses the button. */
async function runTest(url: string, { preferences, ip }: Visit, context: BrowserContext): Promise<Shown> {
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  await page.setExtraHTTPHeaders(ip === undefined ? {} : { 'X-Forwarded-For': ip });
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()));
  await page.goto(url);
  for (let run = 1; ; run += 1) {
    complaints.length = 0;
    await page.getByRole('button', { name: run === 1 ? 'Run the test' : 'Run again' }).click();
    // During a further run, its name stays.
    await page.locator('.run:not([aria-disabled])', { hasText: 'Run again' }).waitFor();
    const shown = { ...(await page.evaluate<Omit<Shown, 'complaints'>>(readPage)), complaints };
    // On a busy machine, queries may arrive after the time that the page waits; then it requests the names, which fails.
    const isInTime = preferences !== undefined || complaints.length === 0;
    if ((shown.findings.length > 1 && isInTime) || run === maxRuns) {
      await page.close();
      return shown;
    }
  }
}

if (import.meta.main) {
  const names = process.argv.slice(2) as VisitName[];
  using delegation = new Delegation();
  const shown: Partial<Record<VisitName, Shown>> = {};
  const browser = await openProfile({}, delegation.folder);
  for (const [name, environment] of Object.entries(services)) {
    const ofService = names.filter((each) => visits[each].service === name);
    if (ofService.length === 0) continue;
    const service = await delegation.serve(environment);
    for (const each of ofService) {
      const visit: Visit = visits[each];
      const context =
        visit.preferences === undefined ? browser : await openProfile(visit.preferences, delegation.folder);
      shown[each] = await runTest(`${service.http}`, visit, context);
      if (context !== browser) await context.close();
    }
    await service.close();
  }
  await browser.close();
  process.stdout.write(JSON.stringify(shown));
}
