/** Entry point of the script on pages of text, such as the documentation, and of lookups. */
import { enableCopyButtons } from './copy.ts';
import { loadReport } from './lookup.ts';
import { markSections, openTarget, rememberFolds } from './sections.ts';

enableCopyButtons();
loadReport();
openTarget();
markSections();
rememberFolds();
