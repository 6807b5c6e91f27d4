/** Whether the layout of a page has moved since it was opened. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Nobody sees less: a score of 0.1 counts as good (https://web.dev/articles/cls), and a rounded line of text makes 0.0002. */
export const maxShift = 0.001;

/** Fails if the layout has shifted since the page was opened. */
export async function assertStill(page: Page, max = maxShift): Promise<void> {
  const shift = await page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)));
    observer.observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 200);
  })`);
  assert.ok(shift < max, `layout shift of ${shift}`);
}
