/** Entry point of the script on pages of text, such as the documentation, and of lookups. */
import { enableCopyButtons } from './copy.ts';
import { keepResults } from './kept.ts';
import { loadReport } from './lookup.ts';
import { markSections, openTarget, rememberFolds } from './sections.ts';

enableCopyButtons();
keepResults();
loadReport();
openTarget();
markSections();
rememberFolds();
nameThisService();
document.documentElement.dataset.script = 'on';

/** In documentation that is the same for every host, puts this service's URL in place of the example's. */
function nameThisService(): void {
  const { exampleUrl } = document.querySelector<HTMLElement>('[data-example-url]')?.dataset ?? {};
  if (exampleUrl === undefined) return;
  for (const code of document.querySelectorAll('code'))
    if (code.textContent.includes(exampleUrl))
      code.textContent = code.textContent.replaceAll(exampleUrl, location.origin);
}
