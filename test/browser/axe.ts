/** Accessibility violations that axe-core finds on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where each part of the page lies, as text. Sections that the page renders only on the screen are rendered by it. */
const layout = `[...document.querySelectorAll('main, main > section, main li')].map((element) => {
  if (element.matches('main > section')) element.style.contentVisibility = 'visible';
  return element.offsetTop + ' ' + element.offsetHeight;
}).join()`;

/** `options` are those of `axe.run`, as JavaScript. */
export async function axeFindings(page: Page, options = '{}'): Promise<string[]> {
  // page.evaluate is exempt from the page's Content-Security-Policy. To compile axe takes half as long as a run.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  // By default, axe also describes each of the thousands of elements without a violation, and loads style sheets and media again.
  const run = `axe.run({ resultTypes: ['violations'], preload: false, ...${options} })`;
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
