/** Checks of a browser's version: far behind the current one, or not released yet. */
import {
  ageInDays,
  areReleasesOutdated,
  currentMajor,
  releasesUpdated,
  type Schedule,
  safariGap,
  schedules,
} from './browser-versions.ts';
import type { HeaderClaims } from './claims.ts';
import type { Inapplicable, Outcome } from './outcomes.ts';

interface Comparison {
  schedule: Schedule;
  major: number;
  isWebKit: boolean;
}

function compareWith(claims: HeaderClaims): Comparison | Inapplicable {
  const { engine, major, isPlain, isAppliance, products, nowMs } = claims;
  if (areReleasesOutdated(nowMs)) return 'tableOutdated';
  if (isAppliance) return 'appliance';
  // Opera has its own version numbers and follows Chromium late, by choice.
  if (!isPlain || engine === null || products.has('OPR') || products.has('HeadlessChrome')) return 'ownUserAgent';
  if (major === null) return 'beforeSupport';
  return { schedule: schedules[engine], major, isWebKit: engine === 'webkit' };
}

export function versionBehind(claims: HeaderClaims): Outcome {
  const found = compareWith(claims);
  if (typeof found === 'string') return found;
  const { schedule, major, isWebKit } = found;
  if (isLastBuild(claims)) return 'lastBuild';
  if (schedule.longTerm.includes(major)) return 'lastBuild';
  if (isSkipped(found)) return null;
  const { nowMs } = claims;
  // Safari's majors without the ones that it skipped.
  const row = isWebKit && major <= safariGap.after ? major + safariGap.next - safariGap.after - 1 : major;
  const { expected, least } = currentMajor(schedule, nowMs);
  // As if the schedule had been as slow as it may have been: the same number of majors ago, but closer to now.
  const ageDays = ageInDays(schedule, row + (expected - least), nowMs);
  if (ageDays < schedule.staleDays + unknownLongTermDays(schedule, major)) return null;
  const months = String(Math.round(ageInDays(schedule, row, nowMs) / 30.4));
  return {
    headers: ['user-agent'],
    values: { name: schedule.name, major: String(major), current: String(expected), months },
  };
}

const isSkipped = ({ major, isWebKit }: Comparison): boolean =>
  isWebKit && major > safariGap.after && major < safariGap.next;

/** Systems without new versions of the browser, or with versions of their own. */
function isLastBuild({ system, platform }: HeaderClaims): boolean {
  return system === 'Chrome OS' || /Android [1-9]\b|Windows NT [56]\./.test(platform);
}

/** A major newer than the table may have become a long-term one, which lives for about 15 months. */
function unknownLongTermDays(schedule: Schedule, major: number): number {
  const newest = currentMajor(schedule, Date.parse(releasesUpdated)).expected;
  return schedule.longTerm.length > 0 && major > newest ? 456 : 0;
}

export function versionFuture(claims: HeaderClaims): Outcome {
  const found = compareWith(claims);
  if (typeof found === 'string') return found;
  const { schedule, major } = found;
  const { expected, most } = currentMajor(schedule, claims.nowMs);
  if (major <= most && !isSkipped(found)) return null;
  return {
    headers: ['user-agent'],
    values: { name: schedule.name, major: String(major), current: String(expected) },
  };
}
