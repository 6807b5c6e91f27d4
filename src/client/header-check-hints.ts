/** Checks that hold Client Hints against the User-Agent. */
import type { Brand } from './client-hints.ts';
import type { HeaderClaims } from './header-claims.ts';
import type { Outcome } from './header-outcomes.ts';
import { grease, greaseTested } from './header-versions.ts';

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-CH-UA */
const hintsSince = 90;
/** In trial from Chromium 105 and 106 on (https://github.com/brave/brave-browser/issues/25459); some versions later for everyone. */
const braveHintsSince = 110;

export function hintsMissing(observed: HeaderClaims): Outcome {
  const { headers, engine, major, plain, special, https } = observed;
  if (engine !== 'blink') return 'onlyChromium';
  if (headers['sec-ch-ua'] !== undefined) return null;
  if (!plain) return 'ownUserAgent';
  if (major === null || major < hintsSince) return 'beforeSupport';
  if (special) return 'special';
  if (https === false) return 'plainHttp';
  const finding = { headers: ['user-agent', 'sec-ch-ua'], values: { major: String(major) } };
  if (https === null) return { ...finding, level: 'info', caveat: 'ifHttps' };
  return major < braveHintsSince ? { ...finding, level: 'info', caveat: 'oldBrave' } : finding;
}

export function hintsUnexpected({ headers, engine, agent }: HeaderClaims): Outcome {
  const hints = Object.keys(headers).filter((name) => name === 'sec-ch-ua' || name.startsWith('sec-ch-ua-'));
  if (hints.length === 0) return null;
  if (agent.raw === '') return 'noUserAgent';
  if (engine === 'blink') return null;
  // A crawler that gave its Chromium another name is honest about being a crawler.
  return { headers: ['user-agent', ...hints.slice(0, 8)], ...(agent.kind === 'browser' ? {} : { level: 'notice' }) };
}

export function chromiumVersionDiffers({ hints, engine, major }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const [header, brands] =
    hints.brands === null ? ['sec-ch-ua-full-version-list', hints.fullVersionList] : ['sec-ch-ua', hints.brands];
  const hinted = chromiumMajor(brands);
  if (hinted === null || major === null) return 'nothingToCompare';
  if (hinted === major) return null;
  return { headers: ['user-agent', header as string], values: { hinted: String(hinted), claimed: String(major) } };
}

/** The product's own brand counts differently in Opera, Samsung Internet, Yandex and Vivaldi; only this one is comparable. */
function chromiumMajor(brands: readonly Brand[] | null): number | null {
  const version = brands?.find(({ brand }) => brand === 'Chromium')?.version ?? '';
  return /^\d{1,4}(?:\.|$)/.test(version) ? Number.parseInt(version, 10) : null;
}

/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-platform */
const hintedSystems: Readonly<Record<string, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  'mac os x': 'macOS',
  linux: 'Linux',
  android: 'Android',
  'chrome os': 'Chrome OS',
  'chromium os': 'Chrome OS',
  ios: 'iOS',
};

export function platformDiffers({ headers, hints, system, appliance }: HeaderClaims): Outcome {
  // People write the value without its quotes; that is malformed, and still says what it says.
  const platform = hints.platform ?? headers['sec-ch-ua-platform']?.replaceAll('"', '') ?? '';
  const hinted = Object.hasOwn(hintedSystems, platform.toLowerCase()) ? hintedSystems[platform.toLowerCase()] : null;
  if (hinted === null || hinted === undefined || system === null) return 'nothingToCompare';
  if (appliance) return 'appliance';
  if (hinted === system) return null;
  const finding = { headers: ['user-agent', 'sec-ch-ua-platform'], values: { hinted, claimed: system } };
  return system === 'Linux' && hinted === 'Android' ? { ...finding, level: 'info', caveat: 'desktopSite' } : finding;
}

export function mobileDiffers({ hints, engine, products, plain, appliance }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  if (hints.mobile === null) return 'nothingToCompare';
  if (appliance) return 'appliance';
  if (!plain && !products.has('SamsungBrowser') && !products.has('YaBrowser')) return 'ownUserAgent';
  const claimed = products.has('Mobile');
  if (hints.mobile === claimed) return null;
  return {
    headers: ['user-agent', 'sec-ch-ua-mobile'],
    values: { hinted: hints.mobile ? 'a mobile' : 'not a mobile', claimed: claimed ? 'has' : 'lacks' },
  };
}

export function headless({ agent }: HeaderClaims): Outcome {
  return agent.raw.includes('HeadlessChrome') ? { headers: ['user-agent'] } : null;
}

export function headlessHidden({ agent, hints }: HeaderClaims): Outcome {
  if (agent.raw.includes('HeadlessChrome')) return null;
  const named = (brands: readonly Brand[] | null) => brands?.some(({ brand }) => brand === 'HeadlessChrome') === true;
  const headers = [
    ...(named(hints.brands) ? ['sec-ch-ua'] : []),
    ...(named(hints.fullVersionList) ? ['sec-ch-ua-full-version-list'] : []),
  ];
  return headers.length > 0 ? { headers: ['user-agent', ...headers] } : null;
}

export function brandsUnexpected({ hints, engine }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const { brands } = hints;
  const major = chromiumMajor(brands);
  if (brands === null || major === null) return 'nothingToCompare';
  if (brands.length !== 3) return 'otherBrands';
  if (major < greaseTested.from || major > greaseTested.to) return 'untestedMajor';
  const expected = grease(major);
  const [greasePlace = 0, chromiumPlace = 0] = expected.places;
  const sent = brands[greasePlace];
  const asExpected =
    sent?.brand === expected.brand && sent.version === expected.version && brands[chromiumPlace]?.brand === 'Chromium';
  return asExpected ? null : { headers: ['sec-ch-ua'], values: { major: String(major) } };
}

const fixedVersionSince = 107;
/** The last phase, which fixed system and device, was rolled out over several versions and complete with this one. */
const fixedPlatformSince = 110;

export function notReduced({ hints, engine, version, major, plain, system, platform }: HeaderClaims): Outcome {
  const product = hints.brands?.some(({ brand }) => brand === 'Google Chrome' || brand === 'Microsoft Edge');
  if (engine !== 'blink' || product !== true) return 'onlyChromeEdge';
  if (!plain) return 'ownUserAgent';
  if (version === null || major === null || major < fixedVersionSince) return 'beforeSupport';
  if (system === 'Android' && major < fixedPlatformSince) return 'beforeSupport';
  const versionReduced = /^\d+\.0\.0\.0$/.test(version);
  if (versionReduced && major < fixedPlatformSince) return null;
  if (versionReduced && platformReduced(system, platform)) return null;
  return { headers: ['user-agent', 'sec-ch-ua'], values: { major: String(major) } };
}

/** https://www.chromium.org/updates/ua-reduction/ */
function platformReduced(system: HeaderClaims['system'], platform: string): boolean {
  if (system === 'macOS') return platform.includes('Mac OS X 10_15_7');
  if (system === 'Windows') return /Windows NT 10\.0(?:;|$)/.test(platform);
  if (system === 'Android') return platform === 'Linux; Android 10; K';
  return true;
}
