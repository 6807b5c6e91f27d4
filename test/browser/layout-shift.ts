/** Whether the layout of a page has moved since it was opened. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Below this, no shift is visible: a score of 0.1 counts as good (https://web.dev/articles/cls), and a rounded line of text makes 0.0002. */
export const maxShift = 0.001;

interface Shift {
  readonly score: number;
  /** Each element that moved, how far, in CSS pixels, and where it is now. */
  readonly moved: readonly string[];
}

/** Fails if the layout has shifted since the page was opened, and names what moved. */
export async function assertStill(page: Page, max = maxShift): Promise<void> {
  const shifts = await page.evaluate<readonly Shift[]>(`new Promise((resolve) => {
    const nameOf = (node) => [node?.parentElement?.className, node?.nodeName, node?.id, node?.className].join(' ').trim();
    const describe = ({ node, previousRect: from, currentRect: to }) =>
      nameOf(node) + ' by ' + (to.x - from.x) + ', ' + (to.y - from.y) + ' to ' + JSON.stringify(to);
    const shifts = [];
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ value, sources }) =>
      shifts.push({ score: value, moved: sources.map(describe) })));
    observer.observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(shifts), 200);
  })`);
  const score = shifts.reduce((sum, shift) => sum + shift.score, 0);
  assert.ok(score < max, `layout shift of ${score}: ${shifts.flatMap(({ moved }) => moved).join('; ')}`);
}
