/** Rules about what single Client Hints state, and about details of a User-Agent that only they state now. */
import type { System } from '../client/data/systems.ts';
import { systemOfHint } from '../client/system.ts';
import { brandListsOf, isChromeOrEdge } from './client-hints-rules.ts';
import { findingOn, type RuleFunctions } from './rule.ts';

/** First numbers of `Sec-CH-UA-Platform-Version`, from and to. The highest leave room for some years. */
const platformVersions: Partial<Record<System, readonly [from: number, to: number]>> = {
  Windows: [0, 40],
  macOS: [10, 50],
  Android: [4, 40],
};

/**
 * Windows 10 ends with 10, Windows Server 2022 has 12, and Windows 11 begins with 13.
 * https://learn.microsoft.com/en-us/microsoft-edge/web-platform/how-to-detect-win11
 */
const noWindows = 11;

function isPlatformVersion(version: string, system: System | null): boolean {
  if (!/^\d{1,6}(?:\.\d{1,6}){0,3}$/.test(version)) return false;
  const first = Number.parseInt(version, 10);
  const [from, to] = (system && platformVersions[system]) ?? [0, Number.POSITIVE_INFINITY];
  return first >= from && first <= to && !(system === 'Windows' && first === noWindows);
}

/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-bitness; the frozen value is empty. */
const bitnesses: ReadonlySet<string> = new Set(['32', '64']);

const desktops: ReadonlySet<System | null> = new Set<System>(['Windows', 'macOS']);
/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-form-factors; tablets also run Windows. */
const otherDevices: ReadonlySet<string> = new Set(['Automotive', 'EInk', 'Watch', 'XR']);

const fixedVersionSince = 107;
/** The last phase, which froze OS and device, was rolled out over several versions and completed with this one. */
const fixedPlatformSince = 110;

/** https://www.chromium.org/updates/ua-reduction/ */
function isReducedPlatform(system: System | null, firstComment: string): boolean {
  if (system === 'macOS') return firstComment.includes('Mac OS X 10_15_7');
  if (system === 'Windows') return /Windows NT 10\.0(?:;|$)/.test(firstComment);
  return system !== 'Android' || firstComment === 'Linux; Android 10; K';
}

export const hintValueRules = {
  'edge-differs'({ hints, products }) {
    const [header, brands] = brandListsOf(hints).find(([, list]) => list !== null) ?? [];
    if (header === undefined || !brands) return 'nothingToCompare';
    const names = (name: string): boolean => brands.some(({ brand }) => brand === name);
    const isClaimed = products.has('Edg') || products.has('EdgA');
    const isHinted = names('Microsoft Edge');
    // Other browsers made from Edge or Chrome may have only their own brand.
    if (isClaimed === isHinted || (isClaimed && !names('Google Chrome'))) return null;
    const [claimed, hinted] = isClaimed ? ['Microsoft Edge', 'Google Chrome'] : ['another browser', 'Microsoft Edge'];
    return { headers: ['user-agent', header], values: { claimed, hinted } };
  },
  'hints-impossible'({ hints: { platform, platformVersion, bitness } }) {
    const system = platform === null ? null : systemOfHint(platform);
    return findingOn([
      ...(platformVersion === null || isPlatformVersion(platformVersion, system) ? [] : ['sec-ch-ua-platform-version']),
      ...(bitness === null || bitnesses.has(bitness) ? [] : ['sec-ch-ua-bitness']),
    ]);
  },
  'device-differs'({ hints: { platform, model, formFactors } }) {
    if (platform === null || (model === null && formFactors === null)) return 'nothingToCompare';
    if (!desktops.has(systemOfHint(platform))) return null;
    const found = findingOn([
      ...(model === null ? [] : ['sec-ch-ua-model']),
      ...(formFactors?.some((name) => otherDevices.has(name)) ? ['sec-ch-ua-form-factors'] : []),
    ]);
    return found && { ...found, headers: ['sec-ch-ua-platform', ...found.headers] };
  },
  'user-agent-not-reduced'({ hints, engine, version, major, isPlain, system, firstComment }) {
    if (engine !== 'blink' || !isChromeOrEdge(hints.brands)) return 'onlyChromeEdge';
    if (!isPlain) return 'ownUserAgent';
    if (version === null || major === null || major < fixedVersionSince) return 'beforeSupport';
    if (system === 'Android' && major < fixedPlatformSince) return 'beforeSupport';
    const isReduced = /^\d+\.0\.0\.0$/.test(version);
    if (isReduced && (major < fixedPlatformSince || isReducedPlatform(system, firstComment))) return null;
    return { headers: ['user-agent', 'sec-ch-ua'], values: { major: String(major) } };
  },
} satisfies RuleFunctions;
