/** Entry point of the script on the start page. */
import { showAgreement } from './agreement.ts';
import { enableCopyButtons, enableWholeSelection } from './copy.ts';
import { showFamilies } from './families.ts';
import { enableLookupForms } from './lookup.ts';
import { measureRoundTrips } from './round-trip.ts';

enableCopyButtons();
enableWholeSelection();
showAgreement();
showFamilies();
enableLookupForms();
measureRoundTrips();
