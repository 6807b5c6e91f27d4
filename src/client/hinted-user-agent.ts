/** Merges Client Hints into the result of a Chromium User-Agent: only hints have the versions and models that reduced strings omit. */

import { majorOf } from './browser-name.ts';
import { type Brand, type ClientHints, withoutGrease } from './client-hints.ts';
import { browserOfBrand, systemOfPlatform, typeOfFormFactor } from './data/stated-names.ts';
import { deviceOfHint } from './device/device.ts';
import type { UserAgent } from './user-agent-schema.ts';

/** Only Chromium sends hints, so others change nothing. If hints and string disagree, the string decides. */
export function mergeHints(stated: UserAgent, hints: ClientHints): UserAgent {
  if (stated.engine.name !== 'Blink') return stated;
  const brands = hints.fullVersionList ?? hints.brands;
  const merged = {
    ...stated,
    browser: mergeBrowser(stated.browser, brands),
    engine: mergeEngine(stated.engine, hints.fullVersionList),
    os: hintedOs(stated, hints) ?? stated.os,
    device: mergeDevice(stated, hints),
    cpu: { architecture: architectureOf(hints) ?? stated.cpu.architecture },
  };
  const headless = stated.kind === 'browser' && brands?.some(({ brand }) => brand === 'HeadlessChrome');
  return headless
    ? { ...merged, kind: 'headless-browser', bot: { name: 'HeadlessChrome', kind: 'headless-browser', operator: null } }
    : merged;
}

function mergeBrowser(stated: UserAgent['browser'], brands: readonly Brand[] | null): UserAgent['browser'] {
  const real = withoutGrease(brands ?? []);
  const brand = real.find(({ brand }) => brand !== 'Chromium') ?? real[0];
  if (brand === undefined) return stated;
  const name = browserOfBrand.get(brand.brand) ?? brand.brand;
  const major = majorOf(brand.version);
  if (name === stated.name)
    return major === stated.major && brand.version.includes('.') ? { ...stated, version: brand.version } : stated;
  // Opera GX states `OPR/` like every Opera.
  if (stated.name !== null && name.startsWith(`${stated.name} `) && major === stated.major) return { ...stated, name };
  return stated.name === 'Chrome' ? { name, version: brand.version, major } : stated;
}

function mergeEngine(stated: UserAgent['engine'], brands: readonly Brand[] | null): UserAgent['engine'] {
  const version = brands?.find(({ brand }) => brand === 'Chromium')?.version;
  return version && majorOf(version) === majorOf(stated.version) ? { ...stated, version } : stated;
}

/** The system whose version hints state; null if none does, or if they are not about the system that the string states. */
export function hintedOs(
  { engine, os: stated }: Pick<UserAgent, 'engine' | 'os'>,
  { platform, platformVersion }: ClientHints,
): UserAgent['os'] | null {
  const name = platform === null ? stated.name : (systemOfPlatform.get(platform) ?? platform);
  if (engine.name !== 'Blink' || platformVersion === null || name !== stated.name) return null;
  return { name, version: name === 'Windows' ? windowsVersion(platformVersion, stated.version) : platformVersion };
}

/** By the minor number of platform version 0. https://wicg.github.io/ua-client-hints/#get-the-legacy-windows-version-number */
const oldWindows: Readonly<Record<number, string>> = { 1: '7', 2: '8', 3: '8.1' };

/** https://learn.microsoft.com/microsoft-edge/web-platform/how-to-detect-win11 */
function windowsVersion(platformVersion: string, stated: string | null): string | null {
  const [major = 0, minor = 0] = platformVersion.split('.').map(Number);
  if (major >= 13) return '11';
  return major >= 1 ? '10' : (oldWindows[minor] ?? stated);
}

/** The model hint determines the vendor and often the type; else the string does: Chromium derives `?1` and `Mobile` from one setting. */
function mergeDevice({ device: stated, os, browser }: UserAgent, hints: ClientHints): UserAgent['device'] {
  // `K` is the placeholder of the reduced User-Agent.
  const model = os.name === 'Android' && hints.model !== 'K' ? hints.model : null;
  const known = model === null || model === stated.model ? null : deviceOfHint(model.slice(0, maxModelLength));
  const formFactor = hints.formFactors?.find((formFactor) => typeOfFormFactor.has(formFactor));
  const hintedType = typeOfFormFactor.get(formFactor ?? '') ?? known?.type ?? null;
  const isMobile = stated.type === 'desktop' && hints.mobile === true && browser.name !== null;
  return {
    type: hintedType ?? (isMobile ? 'mobile' : stated.type),
    vendor: known?.vendor ?? stated.vendor,
    model: model ?? stated.model,
    name: known === null ? stated.name : known.name,
  };
}

/** Longer than any model; the rest is not matched. */
const maxModelLength = 64;

function architectureOf({ architecture, bitness }: ClientHints): string | null {
  if (architecture === 'x86') return bitness === '64' ? 'amd64' : bitness === '32' ? 'ia32' : null;
  if (architecture === 'arm') return bitness === '64' ? 'arm64' : 'arm';
  return null;
}
