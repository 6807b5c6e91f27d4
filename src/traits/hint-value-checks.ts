/** Checks of what single Client Hints state: values that Chromium never sends, and brands of another browser. */
import type { Brand } from '../client/client-hints.ts';
import { type System, systemOfHint } from '../client/platform.ts';
import type { HeaderClaims } from './claims.ts';
import type { Outcome } from './outcomes.ts';

/** Edge names itself in the User-Agent and in the brands, and no other browser does. */
export function edgeDiffers({ hints, engine, products }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const brands = hints.brands ?? hints.fullVersionList;
  if (brands === null) return 'nothingToCompare';
  const names = (name: string): boolean => brands.some(({ brand }: Brand) => brand === name);
  const isClaimed = products.has('Edg') || products.has('EdgA');
  const isHinted = names('Microsoft Edge');
  // Other browsers made from Edge or Chrome may have only their own brand.
  if (isClaimed === isHinted || (isClaimed && !names('Google Chrome'))) return null;
  const [claimed, hinted] = isClaimed ? ['Microsoft Edge', 'Google Chrome'] : ['another browser', 'Microsoft Edge'];
  return { headers: ['user-agent', hints.brands === null ? listHeader : 'sec-ch-ua'], values: { claimed, hinted } };
}

const listHeader = 'sec-ch-ua-full-version-list';

/** First numbers of `Sec-CH-UA-Platform-Version`, from and to. The highest leave room for some years. */
const platformVersions: Partial<Record<System, readonly [from: number, to: number]>> = {
  Windows: [0, 40],
  macOS: [10, 50],
  Android: [4, 40],
};

/** Windows 10 ends with 10, Windows 11 begins with 13: https://learn.microsoft.com/en-us/microsoft-edge/web-platform/how-to-detect-win11 */
const noWindows: ReadonlySet<number> = new Set([11, 12]);

function isPlatformVersion(version: string, system: System | null): boolean {
  if (!/^\d{1,6}(?:\.\d{1,6}){0,3}$/.test(version)) return false;
  const first = Number.parseInt(version, 10);
  const [from, to] = (system && platformVersions[system]) ?? [0, Number.POSITIVE_INFINITY];
  return first >= from && first <= to && !(system === 'Windows' && noWindows.has(first));
}

/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-bitness; the frozen value is empty. */
const bitnesses: ReadonlySet<string> = new Set(['32', '64']);

export function hintsImpossible({ hints, engine }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const { platform, platformVersion, bitness } = hints;
  const system = platform === null ? null : systemOfHint(platform);
  const found = [
    ...(platformVersion === null || isPlatformVersion(platformVersion, system) ? [] : ['sec-ch-ua-platform-version']),
    ...(bitness === null || bitnesses.has(bitness) ? [] : ['sec-ch-ua-bitness']),
  ];
  return found.length === 0 ? null : { headers: found, values: { names: found.join(', ') } };
}

const desktops: ReadonlySet<System | null> = new Set<System>(['Windows', 'macOS']);
/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-form-factors; tablets also run Windows. */
const otherDevices: ReadonlySet<string> = new Set(['Automotive', 'EInk', 'Watch', 'XR']);

export function deviceDiffers({ hints, engine }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const { platform, model, formFactors } = hints;
  if (platform === null || (model === null && formFactors === null)) return 'nothingToCompare';
  if (!desktops.has(systemOfHint(platform))) return null;
  const found = [
    ...(model === null ? [] : ['sec-ch-ua-model']),
    ...(formFactors?.some((name) => otherDevices.has(name)) ? ['sec-ch-ua-form-factors'] : []),
  ];
  if (found.length === 0) return null;
  return { headers: ['sec-ch-ua-platform', ...found], values: { names: found.join(', ') } };
}
