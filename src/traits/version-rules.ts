/** Rules about a browser's version (far behind the current one, or not released yet), and about a frozen version of its OS. */
import { frozenOs } from '../client/user-agent.ts';
import type { HeaderClaims } from './claims.ts';
import { releasesUpdated, releasesValidDays, schedules } from './data/browser-releases.ts';
import { type RuleFunctions, ruleWith } from './rule.ts';

const daysBetween = (date: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(date)) / 86_400_000;

/** A long-term version lives for about 15 months. */
const longTermDays = 456;

/** Whether a version is far behind the current one, which is extrapolated, or not released yet; or the reason why that is not known. */
function compareWithSchedule({ engine, major, isPlain, isAppliance, products, nowMs }: HeaderClaims) {
  const tableDays = daysBetween(releasesUpdated, nowMs);
  if (!(tableDays <= releasesValidDays)) return 'tableOutdated';
  if (isAppliance) return 'appliance';
  // Opera has its own version numbers and follows Chromium late, by choice.
  if (!isPlain || engine === null || products.has('OPR') || products.has('HeadlessChrome')) return 'ownUserAgent';
  if (major === null) return 'beforeSupport';
  const { name, paces, skipped, ahead, staleDays, longTerm } = schedules[engine];
  const [newest] = paces;
  const [first, date, everyDays] = paces.find(([first]) => major >= first) ?? newest;
  const ageDays = Math.max(0, daysBetween(date, nowMs) - (major - first) * everyDays);
  const current = newest[0] + Math.floor(daysBetween(newest[1], nowMs) / newest[2]);
  // Since the table was updated, releases may have been a quarter slower than scheduled, or twice as fast.
  const unconfirmed = tableDays / newest[2];
  const delayDays = Math.ceil(unconfirmed / 4) * everyDays;
  const latest = current + Math.floor(unconfirmed) + ahead;
  // A version newer than the table may have become a long-term one.
  const isNew = longTerm.length > 0 && ageDays < tableDays;
  const isSkipped = skipped.includes(major);
  const months = String(Math.round(ageDays / 30.4));
  const values = { name, major: String(major), current: String(current), months };
  return {
    finding: { headers: ['user-agent'], values },
    isLongTerm: longTerm.includes(major),
    isBehind: !isSkipped && ageDays >= staleDays + delayDays + (isNew ? longTermDays : 0),
    isFuture: isSkipped || major > latest,
  };
}

/** Values of hints that may stand in a sentence. */
const plainVersion = /^[\w .]{1,40}$/;

/** macOS before 10.15, and the last version of iOS for devices that got no later one: https://support.apple.com/100100 */
const oldSystem =
  /Android [1-9]\b|Windows NT [56]\.|Mac OS X 10[._](?:\d|1[0-4])(?!\d)|OS (?:9_3|10_3|12_5|15_8|16_7|17_7)(?!\d)/;

export const versionRules = {
  'version-behind': ruleWith(compareWithSchedule, ({ finding, isLongTerm, isBehind }, { system, firstComment }) => {
    // Systems without new versions of the browser, or with versions of their own.
    const isLast = system === 'Chrome OS' || oldSystem.test(firstComment);
    if (isLast || isLongTerm) return 'lastBuild';
    return isBehind ? finding : null;
  }),
  'version-future': ruleWith(compareWithSchedule, ({ finding, isFuture }) => (isFuture ? finding : null)),
  'os-version-frozen'({ headers }) {
    const frozen = frozenOs(headers);
    if (frozen === null) return null;
    const { stated, meaning, hinted } = frozen;
    const hint = hinted !== null && plainVersion.test(hinted) ? `; Client Hints state ${hinted}` : '';
    return {
      headers: ['user-agent', ...(hint === '' ? [] : ['sec-ch-ua-platform-version'])],
      values: { stated, meaning, hint },
    };
  },
} satisfies RuleFunctions;
