/** The system's Chromium; the application responds to every request of its pages. */
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import type { Deployment, HttpResponse } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((path) => existsSync(path));

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

export const openBrowser = (args: readonly string[] = []): Promise<Browser> => chromium.launch(launchOptions(args));

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

/** Requests to hosts other than `origin` and those in `others` are aborted and listed. */
export async function openPage(
  browser: Browser,
  respond: Responder,
  options: BrowserContextOptions = {},
  others: Readonly<Record<string, Responder>> = {},
): Promise<Opened> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  // A busy machine takes longer than the 30 seconds that Playwright waits by default; the runner ends what hangs.
  context.setDefaultTimeout(0);
  const requests: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', async (route) => {
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
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (said) => {
    // Chromium logs a failed lookup too, which the page already shows.
    if (said.type() === 'error' && !said.text().includes('Failed to load resource')) complaints.push(said.text());
  });
  return { page, requests, complaints };
}

const folder = join(import.meta.dirname, '../../test-output');

/** Path of the screenshot with this name. */
export function screenshot(name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
