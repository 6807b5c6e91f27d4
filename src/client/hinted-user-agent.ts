/** Merges Client Hints into what a Chromium User-Agent says: reduced strings keep the truth about versions and devices to them. */
import { type Brand, type ClientHints, withoutGrease } from './client-hints.ts';
import { majorOf, parts } from './parts.ts';
import type { UserAgent } from './user-agent-schema.ts';

/** Brand and our name for it, where they differ. */
const browserOfBrand: ReadonlyMap<string, string> = new Map([
  ['Google Chrome', 'Chrome'],
  ['Microsoft Edge', 'Edge'],
  ['Android WebView', 'Chrome WebView'],
  ['HeadlessChrome', 'Chrome Headless'],
  ['YaBrowser', 'Yandex'],
  ['HuaweiBrowser', 'Huawei Browser'],
]);

const systemOfPlatform: ReadonlyMap<string, string> = new Map([
  ['macOS', 'Mac OS'],
  ['Chrome OS', 'Chromium OS'],
]);

/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-form-factors */
const typeOfFormFactor: ReadonlyMap<string, UserAgent['device']['type']> = new Map([
  ['XR', 'xr'],
  ['Watch', 'wearable'],
  ['Automotive', 'embedded'],
  ['Tablet', 'tablet'],
  ['Mobile', 'mobile'],
  ['Desktop', 'desktop'],
]);

/** Changes nothing where the hints cannot be the same browser's: only Chromium sends any. Disagreement stays the string's. */
export function hinted(said: UserAgent, hints: ClientHints): UserAgent {
  if (said.engine.name !== 'Blink') return said;
  const brands = hints.fullVersionList ?? hints.brands;
  const merged = {
    ...said,
    browser: browser(said.browser, brands),
    engine: engine(said.engine, hints.fullVersionList),
    os: os(said.os, hints),
    device: device(said, hints),
    cpu: { architecture: architecture(hints) ?? said.cpu.architecture },
  };
  const headless = said.kind === 'browser' && brands?.some(({ brand }) => brand === 'HeadlessChrome');
  return headless
    ? { ...merged, kind: 'headless-browser', bot: { name: 'HeadlessChrome', kind: 'headless-browser', operator: null } }
    : merged;
}

function browser(said: UserAgent['browser'], brands: readonly Brand[] | null): UserAgent['browser'] {
  const meant = withoutGrease(brands ?? []);
  const brand = meant.find(({ brand }) => brand !== 'Chromium') ?? meant[0];
  if (brand === undefined) return said;
  const name = browserOfBrand.get(brand.brand) ?? brand.brand;
  const major = majorOf(brand.version);
  if (name === said.name)
    return major === said.major && brand.version.includes('.') ? { ...said, version: brand.version } : said;
  return said.name === 'Chrome' ? { name, version: brand.version, major } : said;
}

function engine(said: UserAgent['engine'], brands: readonly Brand[] | null): UserAgent['engine'] {
  const version = brands?.find(({ brand }) => brand === 'Chromium')?.version;
  return version && majorOf(version) === majorOf(said.version) ? { ...said, version } : said;
}

function os(said: UserAgent['os'], { platform, platformVersion }: ClientHints): UserAgent['os'] {
  const name = platform === null ? said.name : (systemOfPlatform.get(platform) ?? platform);
  if (platformVersion === null || name !== said.name) return said;
  return { name, version: name === 'Windows' ? windowsVersion(platformVersion, said.version) : platformVersion };
}

/** https://learn.microsoft.com/microsoft-edge/web-platform/how-to-detect-win11 */
function windowsVersion(platformVersion: string, said: string | null): string | null {
  const major = Number.parseInt(platformVersion, 10);
  return major >= 13 ? '11' : major >= 1 ? '10' : said;
}

function device({ device: said, os, browser }: UserAgent, hints: ClientHints): UserAgent['device'] {
  const model = hints.model === null || os.name !== 'Android' ? null : hints.model;
  const known = model === null || model === said.model ? null : modelParts(model);
  const formFactor = hints.formFactors?.find((formFactor) => typeOfFormFactor.has(formFactor));
  const type = typeOfFormFactor.get(formFactor ?? '') ?? known?.type ?? said.type;
  return {
    type: type === 'desktop' && hints.mobile && browser.name !== null ? 'mobile' : type,
    vendor: known?.vendor ?? said.vendor,
    model: model ?? said.model,
  };
}

/** The vendor by the place in the string at which Chrome used to send the model. */
function modelParts(model: string) {
  return parts(
    `Mozilla/5.0 (Linux; Android 10; ${model.slice(0, 64)}) AppleWebKit/537.36 Chrome/100 Mobile Safari/537.36`,
  ).device;
}

function architecture({ architecture, bitness }: ClientHints): string | null {
  if (architecture === 'x86') return bitness === '64' ? 'amd64' : bitness === '32' ? 'ia32' : null;
  if (architecture === 'arm') return bitness === '64' ? 'arm64' : 'arm';
  return null;
}
