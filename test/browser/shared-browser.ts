/** One Chromium for the tests of a process. Apart from chromium.ts, which programs use that are no tests. */
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { openShell } from './chromium.ts';

const browsers = new Map<string, Promise<Browser>>();
after(async () => {
  for (const browser of browsers.values()) await (await browser).close();
});

/**
 * One for all tests of the process with the same arguments, closed after these, because a start takes as long as five pages. A test closes its
 * context.
 */
export function sharedBrowser(args: readonly string[] = []): Promise<Browser> {
  const key = args.join(' ');
  const browser = browsers.get(key) ?? openShell(args);
  browsers.set(key, browser);
  return browser;
}
