/** What is known of browser versions as of a date: current majors, and the GREASE brand that each Chromium major sends. */

/**
 * Sources: https://chromiumdash.appspot.com/schedule, https://whattrainisitnow.com/calendar/,
 * https://support.mozilla.org/en-US/kb/choosing-firefox-update-channel (ESR), https://developer.apple.com/documentation/safari-release-notes
 * Last updated: 2026-09-29
 */
export const releasesUpdated = '2026-09-29';
export const releasesValidDays = 60;

export interface Release {
  name: string;
  current: number;
  /** Shortest time between two majors; the table ages by it. */
  everyDays: number;
  /** Majors ahead of the current one that the pre-release channels carry. */
  ahead: number;
  /** Old majors that still get security fixes. */
  longTerm: readonly number[];
}

export const releases = {
  blink: { name: 'Chrome', current: 154, everyDays: 14, ahead: 3, longTerm: [] },
  gecko: { name: 'Firefox', current: 156, everyDays: 14, ahead: 3, longTerm: [115, 140, 153] },
  webkit: { name: 'Safari', current: 27, everyDays: 365, ahead: 1, longTerm: [] },
} satisfies Record<string, Release>;

/** Safari went from 18 to 26 in September 2025, to share the number of the system it comes with. */
export const safariGap = { after: 18, next: 26 } as const;

/** The majors for which the rule below was compared with captured headers. */
export const greaseTested = { from: 105, to: 150 } as const;

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
