/** Entry point of the script on the start page: the first screen is rendered first, then what the script adds, then the rest. */
import { showAgreement } from './agreement.ts';
import { enableCopyButtons, enableWholeSelection } from './copy.ts';
import { createFamilies } from './families.ts';
import { keepResults } from './kept.ts';
import { measureLayers } from './layers.ts';
import { enableLookupForms, enableTabs } from './lookup.ts';
import { measureRoundTrips } from './round-trip.ts';
import { markSections, openTarget, rememberFolds } from './sections.ts';

enableCopyButtons();
enableWholeSelection();
enableLookupForms();
enableTabs();
keepResults();
openTarget();
const showFamilies = createFamilies();
// Runs before the first paint, if the browser waits for it: on a narrow screen, the line that it may add moves the content below.
showAgreement();
document.documentElement.dataset.script = 'on';
// A link to a section scrolls to it when the page is loaded: until then, everything above must have its height.
if (location.hash === '') await nextPaint();
showFamilies();
measureLayers();
measureRoundTrips();
markSections();
rememberFolds();
renderSections();

/** Resolves after a frame was painted; in a tab in the background, when the visitor opens it. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** Renders one section per frame. Then the scroll bar is exact, and links within the page arrive where they point. */
async function renderSections(): Promise<void> {
  for (const section of document.querySelectorAll<HTMLElement>('main > section')) {
    section.style.contentVisibility = 'visible';
    await nextPaint();
  }
}
