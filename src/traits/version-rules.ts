/** Rules about a browser's version (far behind the current one, or not released yet), and about a frozen version of its OS. */
import { frozenOs } from '../client/frozen-os.ts';
import { releasesUpdated, releasesValidDays, type Schedule, schedules } from './browser-versions.ts';
import type { HeaderClaims } from './claims.ts';
import { checkWith, type Finding, type Inapplicable, type Rules } from './rule.ts';

interface Comparison {
  schedule: Schedule;
  major: number;
  /** Extrapolated current major. */
  current: number;
  /** Majors that were scheduled since the table was updated. */
  unconfirmed: number;
  /** Estimated days since the major was released, and from it to the next one. */
  ageDays: number;
  everyDays: number;
  finding: Finding;
}

const daysBetween = (date: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(date)) / 86_400_000;

function compareWithSchedule(claims: HeaderClaims): Comparison | Inapplicable {
  const { engine, major, isPlain, isAppliance, products, nowMs } = claims;
  const tableDays = daysBetween(releasesUpdated, nowMs);
  if (!(tableDays <= releasesValidDays)) return 'tableOutdated';
  if (isAppliance) return 'appliance';
  // Opera has its own version numbers and follows Chromium late, by choice.
  if (!isPlain || engine === null || products.has('OPR') || products.has('HeadlessChrome')) return 'ownUserAgent';
  if (major === null) return 'beforeSupport';
  const schedule = schedules[engine];
  const [newest] = schedule.paces;
  const [first, date, everyDays] = schedule.paces.find(([first]) => major >= first) ?? newest;
  const ageDays = Math.max(0, daysBetween(date, nowMs) - (major - first) * everyDays);
  const current = newest[0] + Math.floor(daysBetween(newest[1], nowMs) / newest[2]);
  const months = String(Math.round(ageDays / 30.4));
  const values = { name: schedule.name, major: String(major), current: String(current), months };
  const finding = { headers: ['user-agent'], values };
  return { schedule, major, current, unconfirmed: tableDays / newest[2], ageDays, everyDays, finding };
}

/** A long-term version lives for about 15 months. */
const longTermDays = 456;

export const versionRules: Rules = {
  'version-behind': {
    level: 'info',
    appliesTo: 'browsers',
    hint: '{name} {major} was released about {months} months ago; the current version is about {name} {current}.',
    reason: 'Browsers update themselves, so old versions are rare and often come from copied headers.',
    check: checkWith(compareWithSchedule, (found, claims) => {
      const { schedule, major, unconfirmed, ageDays, everyDays, finding } = found;
      // Systems without new versions of the browser, or with versions of their own.
      if (claims.system === 'Chrome OS' || /Android [1-9]\b|Windows NT [56]\./.test(claims.platform))
        return 'lastBuild';
      if (schedule.longTerm.includes(major)) return 'lastBuild';
      // Since the table was updated, releases may have been a quarter slower than scheduled.
      const delayDays = Math.ceil(unconfirmed / 4) * everyDays;
      // A version newer than the table may have become a long-term one.
      const isNew = schedule.longTerm.length > 0 && ageDays < daysBetween(releasesUpdated, claims.nowMs);
      const isBehind = ageDays >= schedule.staleDays + delayDays + (isNew ? longTermDays : 0);
      return isBehind && !schedule.skipped.includes(major) ? finding : null;
    }),
  },
  'version-future': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: '{name} {major} is not a released version; the current version is about {name} {current}.',
    reason: 'Invented User-Agents often state versions that do not exist.',
    check: checkWith(compareWithSchedule, ({ schedule, major, current, unconfirmed, finding }) => {
      // Since the table was updated, releases may have been twice as fast as scheduled.
      const latest = current + Math.floor(unconfirmed) + schedule.ahead;
      return major > latest || schedule.skipped.includes(major) ? finding : null;
    }),
  },
};

/** Values of hints that may stand in a sentence. */
const plainVersion = /^[\w .]{1,40}$/;

export const frozenRules: Rules = {
  'os-version-frozen': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'The User-Agent states {stated}, which stands for {meaning}{hint}.',
    reason:
      'Browsers freeze these values, so that they identify nobody; the true version is in Client Hints, if the browser sends them.',
    check({ headers }) {
      const frozen = frozenOs(headers);
      if (frozen === null) return null;
      const { stated, meaning, hinted } = frozen;
      const hint = hinted !== null && plainVersion.test(hinted) ? `; Client Hints state ${hinted}` : '';
      return {
        headers: ['user-agent', ...(hint === '' ? [] : ['sec-ch-ua-platform-version'])],
        values: { stated, meaning, hint },
      };
    },
  },
};
