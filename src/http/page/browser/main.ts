/** Entry point of the script on the start page. */
import { enableCopyButtons } from './copy.ts';
import { enableLookupForms } from './lookup.ts';
import { measureRoundTrips } from './round-trip.ts';

enableCopyButtons();
enableLookupForms();
measureRoundTrips();
