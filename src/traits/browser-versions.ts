/** Browser versions over time: release schedules, from which the current major is extrapolated, and Chromium's GREASE brands. */

/** From this major on, released on this date (UTC), a major follows every `everyDays` days. */
interface Pace {
  major: number;
  date: string;
  everyDays: number;
}

export interface Schedule {
  name: string;
  /** Newest first; the first one is extrapolated. */
  paces: readonly Pace[];
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
 * (ESR), https://developer.apple.com/documentation/safari-release-notes (every September). Last updated: 2026-11-21
 */
export const schedules = {
  blink: {
    name: 'Chrome',
    paces: [
      { major: 153, date: '2026-09-08', everyDays: 14 },
      { major: 144, date: '2026-01-13', everyDays: 28 },
      { major: 94, date: '2021-09-21', everyDays: 31.5 },
      { major: 1, date: '2009-10-01', everyDays: 47 },
    ],
    ahead: 4,
    staleDays: 183,
    longTerm: [],
  },
  gecko: {
    name: 'Firefox',
    paces: [
      { major: 154, date: '2026-08-18', everyDays: 14 },
      { major: 148, date: '2026-02-24', everyDays: 28 },
      { major: 74, date: '2020-03-10', everyDays: 29.4 },
      { major: 4, date: '2011-03-22', everyDays: 47 },
    ],
    ahead: 4,
    staleDays: 183,
    longTerm: [115, 140, 153],
  },
  webkit: {
    name: 'Safari',
    paces: [
      { major: 26, date: '2025-09-15', everyDays: 365 },
      // Safari skipped from 18 to 26 to share the number of its OS: 18 is 25 here.
      { major: 7, date: '2006-09-20', everyDays: 365.25 },
    ],
    ahead: 1,
    staleDays: 6 * 365,
    longTerm: [],
  },
} satisfies Record<string, Schedule>;

/** Majors of Safari that never existed: from `after` to `next`, exclusive. */
export const safariGap = { after: 18, next: 26 } as const;

const dayMs = 86_400_000;
const daysBetween = (date: string, nowMs: number): number => (nowMs - Date.parse(date)) / dayMs;

/** Whether the table is too old at this time; also true if the time is not a number. */
export const areReleasesOutdated = (nowMs: number): boolean =>
  !(daysBetween(releasesUpdated, nowMs) <= releasesValidDays);

/**
 * The extrapolated current major, and the bounds of the real one: since the table was updated, releases may have been a quarter
 * slower or twice as fast as scheduled, and one may be late by a pause of the schedule.
 */
export function currentMajor(schedule: Schedule, nowMs: number): { expected: number; least: number; most: number } {
  const [{ major, date, everyDays } = { major: 0, date: releasesUpdated, everyDays: 1 }] = schedule.paces;
  const expected = major + Math.floor(Math.max(0, daysBetween(date, nowMs)) / everyDays);
  const unconfirmed = Math.max(0, daysBetween(releasesUpdated, nowMs)) / everyDays;
  return {
    expected,
    least: expected - Math.ceil(unconfirmed / 4),
    most: expected + Math.floor(unconfirmed) + schedule.ahead,
  };
}

/** Estimated days since this major was released, at least 0, by the schedule in force then. */
export function ageInDays({ paces }: Schedule, major: number, nowMs: number): number {
  const pace = paces.find((each) => major >= each.major) ?? paces.at(-1);
  if (pace === undefined) return 0;
  return Math.max(0, daysBetween(pace.date, nowMs) - (major - pace.major) * pace.everyDays);
}

/** The majors for which the GREASE rule was compared with captured headers. Last updated: 2026-11-21 */
export const greaseTested = { from: 105, to: 156 } as const;

// https://source.chromium.org/chromium/chromium/src/+/main:components/embedder_support/user_agent_utils.cc, GetGreasedUserAgentBrandVersion
const punctuation = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
const versions = ['8', '99', '24'] as const;
const orders = ['012', '021', '102', '120', '201', '210'] as const;

/** The GREASE brand of a Chromium major, and the places of GREASE, Chromium and the product in its list of three. */
export function grease(major: number): { brand: string; version: string; places: readonly number[] } {
  const first = punctuation[major % punctuation.length];
  const second = punctuation[(major + 1) % punctuation.length];
  return {
    brand: `Not${first}A${second}Brand`,
    version: versions[major % versions.length] ?? '',
    places: [...(orders[major % orders.length] ?? '')].map(Number),
  };
}
