/** Accessibility violations that axe-core finds on a page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Exempt from the page's Content-Security-Policy. As a script, and not as the text that `page.evaluate` compiles, it stays compiled in the process. */
async function evaluateAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
}

/** Where each part of the page lies, as text. Sections that the page renders only on the screen are rendered by it. */
const layout = `[...document.querySelectorAll('main, main > section, main li')].map((element) => {
  if (element.matches('main > section')) element.style.contentVisibility = 'visible';
  return element.offsetTop + ' ' + element.offsetHeight;
}).join()`;

/** Loads axe with each document of this page from now on: for a page that is checked after each navigation, a third of the time of sending it. */
export const loadAxe = (page: Page): Promise<unknown> => page.addInitScript(source);

/**
 * `parts` are selectors of what is checked: of a page that another test checks as a whole, the visible elements that this test has changed. `options`
 * are those of `axe.run`, as JavaScript.
 */
export async function axeFindings(page: Page, parts: readonly string[] = ['html'], options = '{}'): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await evaluateAxe(page);
  for (const part of parts) {
    const isVisible = `[...document.querySelectorAll('${part}')].some((element) => element.checkVisibility())`;
    assert.equal(await page.evaluate(isVisible), true, `${part} is not visible`);
  }
  // By default, axe also describes each of the thousands of elements without a violation, and loads style sheets and media again.
  const run = `axe.run(${JSON.stringify(parts)}, { resultTypes: ['violations'], preload: false, ...${options} })`;
  // axe reads the position of an element at several moments. If the page moved between them, elements seem to overlap.
  let before: unknown;
  let results: AxeResults;
  do {
    before = await page.evaluate(layout);
    results = (await page.evaluate(run)) as AxeResults;
  } while (before !== (await page.evaluate(layout)));
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
