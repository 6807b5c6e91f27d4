/** Entry point of the script on the start page. */
import { showAgreement } from './agreement.ts';
import { enableCopyButtons, enableWholeSelection } from './copy.ts';
import { showFamilies } from './families.ts';
import { enableLookupForms } from './lookup.ts';
import { nextPaint, renderSections } from './rendering.ts';
import { measureRoundTrips } from './round-trip.ts';

enableCopyButtons();
enableWholeSelection();
enableLookupForms();
// A link to a section scrolls to it when the page is loaded: until then, everything above must have its height.
if (location.hash === '') await nextPaint();
showAgreement();
showFamilies();
measureRoundTrips();
renderSections();
