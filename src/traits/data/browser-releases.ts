/** Release schedules of browsers, from which the current major is extrapolated. */
import type { Engine } from '../engine.ts';

/** From this major on, released on this date (UTC), a major follows every `everyDays` days. */
type Pace = readonly [major: number, date: string, everyDays: number];

interface Schedule {
  name: string;
  /** Newest first, from major 0 on; the first one is extrapolated. */
  paces: readonly [Pace, ...Pace[]];
  /** Majors that never existed. */
  skipped: readonly number[];
  /** Majors that Canary and Nightly are ahead of the extrapolated one. */
  ahead: number;
  /** Age from which a version is far behind: beyond the slowest update channel. */
  staleDays: number;
  /** Old majors that still receive security fixes. */
  longTerm: readonly number[];
}

/** Last day on which the schedules below were compared with what had been released. */
export const releasesUpdated = '2026-11-21';
/** Beyond this age, the table is not used. */
export const releasesValidDays = 3 * 365;

/**
 * Sources: https://chromiumdash.appspot.com/schedule (every two weeks since Chrome 153, every four since 94),
 * https://whattrainisitnow.com/calendar/ (every two weeks since Firefox 154), https://support.mozilla.org/en-US/kb/choosing-firefox-update-channel
 * (ESR), https://developer.apple.com/documentation/safari-release-notes (every September; after 18 came 26, the number of its OS).
 * Last updated: 2026-11-21
 */
export const schedules: Readonly<Record<Engine, Schedule>> = {
  blink: {
    name: 'Chrome',
    paces: [
      [153, '2026-09-08', 14],
      [144, '2026-01-13', 28],
      [94, '2021-09-21', 31.5],
      [0, '2009-08-15', 47],
    ],
    skipped: [],
    ahead: 4,
    staleDays: 183,
    longTerm: [],
  },
  gecko: {
    name: 'Firefox',
    paces: [
      [154, '2026-08-18', 14],
      [148, '2026-02-24', 28],
      [74, '2020-03-10', 29.4],
      [0, '2010-09-15', 47],
    ],
    skipped: [],
    ahead: 4,
    staleDays: 183,
    longTerm: [115, 140, 153],
  },
  webkit: {
    name: 'Safari',
    paces: [
      [26, '2025-09-15', 365],
      [0, '2006-09-20', 365.25],
    ],
    skipped: [19, 20, 21, 22, 23, 24, 25],
    ahead: 1,
    staleDays: 6 * 365,
    longTerm: [],
  },
};
