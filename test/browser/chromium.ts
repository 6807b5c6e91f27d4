/** The system's Chromium, and pages in it that are answered by the application and by nobody else. */
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import { type Answer, createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-body.ts';

const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((path) => existsSync(path));

/** For a test's `skip`. Under CI none is skipped: there a lack is a failure. */
export function skipWithoutChromium(): string | false {
  return executablePath === undefined && !process.env.CI ? 'needs the command chromium' : false;
}

export async function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('the command chromium is not there');
  // Its sandbox does not run as root, and no page here is a stranger's.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export const origin = 'https://seenby.test';

export interface Asked {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What answers the requests of a page. */
export type Answerer = (asked: Asked) => Promise<Answer>;

/** The application, on a request of which everything else is as `observed` has it. */
export function applicationOf(changed: Partial<ObservedRequest> = {}, platform: Partial<Platform> = {}): Answerer {
  const app = createApp({ publicUrl: origin, contact: null });
  return async ({ headers, ...asked }) =>
    app({ ...seenAll, origin, headers, ...asked, ...changed }, platformOf(platform), noBody);
}

export interface Opened {
  readonly page: Page;
  /** Addresses that the page asked for, in order, all hosts. */
  readonly requests: readonly string[];
  /** Violations of the policy, errors of scripts. */
  readonly complaints: readonly string[];
}

/** Whatever asks another host than `origin` is refused and listed. */
export async function openPage(
  browser: Browser,
  answer: Answerer,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const requests: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', async (route) => {
    const request = route.request();
    const url = new URL(request.url());
    requests.push(url.href);
    if (url.origin !== origin) return route.abort();
    const asked = { path: url.pathname, query: url.search.slice(1), method: request.method() };
    const { status, headers, body } = await answer({ ...asked, headers: await request.allHeaders() });
    // A page that is gone wants no answer.
    return route.fulfill({ status, headers: { ...headers }, body }).catch(() => {});
  });
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (said) => {
    // A refused lookup is told to the visitor, and by Chromium to the console too.
    if (said.type() === 'error' && !said.text().includes('Failed to load resource')) complaints.push(said.text());
  });
  return { page, requests, complaints };
}

const folder = join(import.meta.dirname, '../../test-output');

/** Where a screenshot of this name goes. */
export function screenshot(name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
