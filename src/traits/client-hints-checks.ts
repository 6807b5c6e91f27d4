/** Checks that compare Client Hints with the User-Agent. */
import type { Brand } from '../client/client-hints.ts';
import { systemOfHint } from '../client/platform.ts';
import { grease, greaseTested } from './browser-versions.ts';
import type { HeaderClaims } from './claims.ts';
import { asInfo, findingIf, type Outcome } from './outcomes.ts';

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-CH-UA */
const hintsSince = 90;
/** Tested by Brave from Chromium 105 and 106 (https://github.com/brave/brave-browser/issues/25459), enabled for all some versions later. */
const braveHintsSince = 110;

export function hintsMissing(claims: HeaderClaims): Outcome {
  const { headers, engine, major, isPlain, isSpecial, https } = claims;
  if (engine !== 'blink') return 'onlyChromium';
  if (headers['sec-ch-ua'] !== undefined) return null;
  if (!isPlain) return 'ownUserAgent';
  if (major === null || major < hintsSince) return 'beforeSupport';
  if (isSpecial) return 'special';
  if (https === false) return 'plainHttp';
  const finding = { headers: ['user-agent', 'sec-ch-ua'], values: { major: String(major) } };
  if (https === null) return asInfo(finding, 'ifHttps');
  return major < braveHintsSince ? asInfo(finding, 'oldBrave') : finding;
}

export function hintsUnexpected({ headers, engine, agent }: HeaderClaims): Outcome {
  const hints = Object.keys(headers).filter((name) => name === 'sec-ch-ua' || name.startsWith('sec-ch-ua-'));
  if (hints.length === 0) return null;
  if (agent.raw === '') return 'noUserAgent';
  if (engine === 'blink') return null;
  // A crawler that renamed its Chromium identifies itself as a crawler.
  return { headers: ['user-agent', ...hints.slice(0, 8)], ...(agent.kind === 'browser' ? {} : { level: 'notice' }) };
}

export function chromiumVersionDiffers({ hints, engine, major }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const lists = { 'sec-ch-ua': hints.brands, 'sec-ch-ua-full-version-list': hints.fullVersionList };
  const stated = Object.entries(lists)
    .map(([header, brands]) => ({ header, hinted: chromiumMajor(brands) }))
    .filter(({ hinted }) => hinted !== null);
  if (stated.length === 0 || major === null) return 'nothingToCompare';
  const other = stated.find(({ hinted }) => hinted !== major);
  if (other === undefined) return null;
  const { header, hinted } = other;
  return { headers: ['user-agent', header], values: { hinted: String(hinted), claimed: String(major) } };
}

/** Opera, Samsung Internet, Yandex and Vivaldi number their own brand differently; only the Chromium brand is comparable. */
function chromiumMajor(brands: readonly Brand[] | null): number | null {
  const version = brands?.find(({ brand }) => brand === 'Chromium')?.version ?? '';
  return /^\d{1,4}(?:\.|$)/.test(version) ? Number.parseInt(version, 10) : null;
}

export function platformDiffers({ headers, hints, system, isAppliance }: HeaderClaims): Outcome {
  // Hand-written values often lack the quotes: malformed, but unambiguous.
  const hinted = systemOfHint(hints.platform ?? headers['sec-ch-ua-platform']?.replaceAll('"', '') ?? '');
  if (hinted === null || system === null) return 'nothingToCompare';
  if (isAppliance) return 'appliance';
  if (hinted === system) return null;
  const finding = { headers: ['user-agent', 'sec-ch-ua-platform'], values: { hinted, claimed: system } };
  return system === 'Linux' && hinted === 'Android' ? asInfo(finding, 'desktopSite') : finding;
}

export function mobileDiffers({ hints, engine, products, isPlain, isAppliance }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  if (hints.mobile === null) return 'nothingToCompare';
  if (isAppliance) return 'appliance';
  if (!isPlain && !products.has('SamsungBrowser') && !products.has('YaBrowser')) return 'ownUserAgent';
  const claimed = products.has('Mobile');
  if (hints.mobile === claimed) return null;
  return {
    headers: ['user-agent', 'sec-ch-ua-mobile'],
    values: { hinted: hints.mobile ? 'a mobile' : 'not a mobile', claimed: claimed ? 'has' : 'lacks' },
  };
}

export const headless = ({ agent }: HeaderClaims): Outcome =>
  findingIf(agent.raw.includes('HeadlessChrome'), 'user-agent');

export function headlessHidden({ agent, hints }: HeaderClaims): Outcome {
  if (agent.raw.includes('HeadlessChrome')) return null;
  const lists = { 'sec-ch-ua': hints.brands, 'sec-ch-ua-full-version-list': hints.fullVersionList };
  const headers = Object.entries(lists)
    .filter(([, brands]) => brands?.some(({ brand }) => brand === 'HeadlessChrome'))
    .map(([name]) => name);
  return findingIf(headers.length > 0, 'user-agent', ...headers);
}

/** A brand that stands for no product: Chromium's own form, and inventions like it. */
const greaseLike = /^[^a-z]*not\b|[^a-z]brand\W*$/i;
const chromiumGrease = /^Not[ ():\-./;=?_]A[ ():\-./;=?_]Brand$/;

/** Brands of lists whose length does not depend on a fork. */
const ownBrands: ReadonlySet<string> = new Set(['Chromium', 'Google Chrome', 'Microsoft Edge', 'HeadlessChrome']);

export function brandsUnexpected({ hints, engine }: HeaderClaims): Outcome {
  if (engine !== 'blink') return 'onlyChromium';
  const { brands } = hints;
  const major = chromiumMajor(brands);
  if (brands === null || major === null) return 'nothingToCompare';
  if (major < greaseTested.from) return 'untestedMajor';
  const finding = { headers: ['sec-ch-ua'], values: { major: String(major) } };
  const expected = grease(major);
  const isExpected = ({ brand, version }: Brand) => brand === expected.brand && version === expected.version;
  const sent = brands.filter(({ brand }) => greaseLike.test(brand));
  if (sent.length === 0 || !sent.every(isExpected)) {
    const isFork = brands.length !== 3 && !brands.every(({ brand }) => ownBrands.has(brand) || greaseLike.test(brand));
    if (isFork && sent.every(({ brand }) => chromiumGrease.test(brand))) return 'otherBrands';
    // A later Chromium may derive its brand in another way, but not in another form.
    const mayBeNew = major > greaseTested.to && sent.every(({ brand }) => chromiumGrease.test(brand));
    return mayBeNew ? asInfo(finding, 'newChromium') : finding;
  }
  if (brands.length !== 3) return 'otherBrands';
  const [greasePlace = 0, chromiumPlace = 0] = expected.places;
  const inOrder = isExpected(brands[greasePlace] as Brand) && brands[chromiumPlace]?.brand === 'Chromium';
  if (inOrder) return null;
  return major > greaseTested.to || !isChromeOrEdge(brands) ? { ...finding, level: 'info' } : finding;
}

const isChromeOrEdge = (brands: readonly Brand[] | null): boolean =>
  brands?.some(({ brand }) => brand === 'Google Chrome' || brand === 'Microsoft Edge') === true;

const fixedVersionSince = 107;
/** The last phase, which froze OS and device, was rolled out over several versions and completed with this one. */
const fixedPlatformSince = 110;

export function notReduced({ hints, engine, version, major, isPlain, system, platform }: HeaderClaims): Outcome {
  if (engine !== 'blink' || !isChromeOrEdge(hints.brands)) return 'onlyChromeEdge';
  if (!isPlain) return 'ownUserAgent';
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
