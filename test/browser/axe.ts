/** Accessibility violations that axe-core finds on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `options` are those of `axe.run`, as JavaScript. */
export async function axeFindings(page: Page, options = '{}'): Promise<string[]> {
  // page.evaluate is exempt from the page's Content-Security-Policy.
  await page.evaluate(source);
  // By default, axe also describes each of the thousands of elements without a violation.
  const run = `axe.run({ resultTypes: ['violations'], ...${options} })`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
