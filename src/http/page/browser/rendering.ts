/** Order of rendering: the first screen, then what the script adds, then the sections below. */

/** Resolves after a frame was painted; in a tab in the background, when the visitor opens it. */
export const nextPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });

/** Renders one section per frame. Then the scroll bar is exact, and links within the page arrive where they point. */
export async function renderSections(): Promise<void> {
  for (const section of document.querySelectorAll<HTMLElement>('main > section')) {
    section.style.contentVisibility = 'visible';
    await nextPaint();
  }
}
