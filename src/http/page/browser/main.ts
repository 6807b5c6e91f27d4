/** What the page does beyond what it says. */
import { copyButtons } from './copy.ts';
import { lookupForms } from './lookup.ts';
import { roundTrips } from './round-trip.ts';

copyButtons();
lookupForms();
roundTrips();
