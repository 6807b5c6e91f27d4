/** The system's Chromium; the application responds to every request of its pages. */
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import type { Deployment, HttpResponse } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { skipUnlessAll } from '../random.ts';
import { noBody } from '../request-context.ts';

const pathOf = (command: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));
const executablePath = pathOf('chromium');
/** The same engine without windows, whose address bar and tabs take half of the CPU time of opening a page. */
const shellPath = pathOf('chromium-headless-shell') ?? executablePath;

/** For a test's `skip`. Under CI nothing is skipped: a missing Chromium fails the test. */
export function skipWithoutChromium(): string | false {
  return executablePath === undefined && !process.env.CI ? 'needs the command chromium' : false;
}

/**
 * The list below the address bar is a page of its own in each window, and takes as much CPU time as the page under test. The spare process
 * for the next page takes a sixth of it.
 */
const withoutExtras = '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess';

export function launchOptions(args: readonly string[]) {
  if (executablePath === undefined) throw new Error('the command chromium is missing; install it');
  // Chromium's sandbox does not run as root; all pages here are our own.
  return { executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', withoutExtras, ...args] };
}

/** With the network, DNS and WebRTC of a visitor. */
export const openBrowser = (args: readonly string[] = []): Promise<Browser> => chromium.launch(launchOptions(args));

/** For what a page shows and does. */
export const openShell = (args: readonly string[] = []): Promise<Browser> =>
  // A page of the same site joins the process of those that are open, with its compiled code. The scripts, axe too, end so soon that the
  // optimizing compilers take more CPU time than they save.
  chromium.launch({
    ...launchOptions(['--process-per-site', '--renderer-process-limit=1', '--js-flags=--no-opt --no-maglev', ...args]),
    executablePath: shellPath as string,
  });

export const origin = 'https://seenby.test';

export interface PageRequest {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Responds to the requests of a page. */
export type Responder = (request: PageRequest) => Promise<HttpResponse>;

/** The application; members in `changed` replace those of the observed request. */
export function applicationOf(
  changed: Partial<ObservedRequest> = {},
  platform: Partial<Platform> = {},
  deployment: Partial<Deployment> = {},
): Responder {
  const app = createApp({ publicUrl: origin, contact: null, ...deployment });
  return async ({ headers, ...request }) =>
    app({ ...seenAll, origin, headers, ...request, ...changed }, platformOf(platform), noBody);
}

export interface Opened {
  readonly page: Page;
  /** URLs that the page requested, in order, all hosts. */
  readonly requests: readonly string[];
  /** Policy violations and script errors. */
  readonly complaints: readonly string[];
}

/** For `addInitScript`: the script of the page gives up after five seconds, and a busy machine may take longer. */
export const patience =
  'const limit = AbortSignal.timeout; AbortSignal.timeout = (ms) => limit.call(AbortSignal, 20 * ms);';

const contexts = new WeakMap<Browser, Map<string, Promise<BrowserContext>>>();
/** Contexts with a page that stays open. */
const kept = new WeakSet<BrowserContext>();

/**
 * Opens a page, in one context for all pages with the same options: of a context of its own, half of the CPU time would be for a process. Close
 * it with `closePage`; after a change of the context, such as its clock, close that.
 */
export async function openBlank(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const ofBrowser = contexts.get(browser) ?? new Map<string, Promise<BrowserContext>>();
  contexts.set(browser, ofBrowser);
  const key = JSON.stringify(options);
  const opening =
    ofBrowser.get(key) ??
    browser.newContext(options).then((context) => {
      // A busy machine takes longer than the 30 seconds that Playwright waits by default; the runner ends what hangs.
      context.setDefaultTimeout(0);
      return context.once('close', () => ofBrowser.delete(key));
    });
  ofBrowser.set(key, opening);
  return (await opening).newPage();
}

/** Closes it. The first one of a context becomes an empty page instead, so that the process of the site stays. */
export async function closePage(page: Page): Promise<void> {
  const context = page.context();
  if (kept.has(context) || !page.url().startsWith('http')) return page.close();
  kept.add(context);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // With another policy, it would get another process.
  const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Content-Type': 'text/html' };
  await page.route('**/*', (route) => route.fulfill({ headers, body: '' }));
  await page.goto(new URL('/empty', page.url()).href);
}

/** Requests to hosts other than `origin` and those in `others` are aborted and listed. */
export async function openPage(
  browser: Browser,
  respond: Responder,
  options: BrowserContextOptions = {},
  others: Readonly<Record<string, Responder>> = {},
): Promise<Opened> {
  const page = await openBlank(browser, { baseURL: origin, ...options });
  const requests: string[] = [];
  const complaints: string[] = [];
  await page.route('**/*', async (route) => {
    const request = route.request();
    const url = new URL(request.url());
    requests.push(url.href);
    const responder = url.origin === origin ? respond : others[url.origin];
    if (responder === undefined) return route.abort();
    const target = { path: url.pathname, query: url.search.slice(1), method: request.method() };
    const { status, headers, body } = await responder({ ...target, headers: await request.allHeaders() });
    // The page may already be closed.
    return route.fulfill({ status, headers: { ...headers }, body: Buffer.from(body) }).catch(() => {});
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (said) => {
    // Chromium logs a failed lookup too, which the page already shows.
    if (said.type() === 'error' && !said.text().includes('Failed to load resource')) complaints.push(said.text());
  });
  return { page, requests, complaints };
}

const folder = join(import.meta.dirname, '../../test-output');

/** Writes a screenshot to test-output, for people to look at; only with all tests, because it takes as long as a page. */
export async function writeScreenshot(target: Page | Locator, name: string, { fullPage = false } = {}): Promise<void> {
  if (skipUnlessAll !== false) return;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await ('goto' in target ? target.screenshot({ path, fullPage }) : target.screenshot({ path }));
}
