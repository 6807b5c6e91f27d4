/** Rules that compare Client Hints with the User-Agent. */
import type { Brand, ClientHints } from '../client/client-hints.ts';
import { systemOfHint } from '../client/system.ts';
import { asInfo, findingIf, type RuleFunctions } from './rule.ts';

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-CH-UA */
const hintsSince = 90;
/** Tested by Brave from Chromium 105 and 106 (https://github.com/brave/brave-browser/issues/25459), enabled for all some versions later. */
const braveHintsSince = 110;

/** The headers that list brands, with their lists. */
export const brandListsOf = ({ brands, fullVersionList }: ClientHints): [string, ClientHints['brands']][] => [
  ['sec-ch-ua', brands],
  ['sec-ch-ua-full-version-list', fullVersionList],
];

/** Opera, Samsung Internet, Yandex and Vivaldi number their own brand differently; only the Chromium brand is comparable. */
function chromiumMajor(brands: ClientHints['brands']): number | null {
  const version = brands?.find(({ brand }) => brand === 'Chromium')?.version ?? '';
  return /^\d{1,4}(?:\.|$)/.test(version) ? Number.parseInt(version, 10) : null;
}

/** A brand that stands for no product: Chromium's own form, and inventions like it. */
const greaseLike = /^[^a-z]*not\b|[^a-z]brand\W*$/i;
const chromiumGrease = /^Not[ ():\-./;=?_]A[ ():\-./;=?_]Brand$/;

/** Brands of lists whose length does not depend on a fork. */
const ownBrands: ReadonlySet<string> = new Set(['Chromium', 'Google Chrome', 'Microsoft Edge', 'HeadlessChrome']);

export const isChromeOrEdge = (brands: ClientHints['brands']): boolean =>
  brands?.some(({ brand }) => brand === 'Google Chrome' || brand === 'Microsoft Edge') === true;

/** The majors for which the GREASE rule was compared with captured headers. Last updated: 2026-11-21 */
const greaseTested = { from: 105, to: 156 } as const;

// https://source.chromium.org/chromium/chromium/src/+/main:components/embedder_support/user_agent_utils.cc, GetGreasedUserAgentBrandVersion
const punctuation = ' (:-./);=?_';
const versions = ['8', '99', '24'] as const;
const orders = ['012', '021', '102', '120', '201', '210'] as const;

/** The GREASE brand of a Chromium major, and the places of GREASE, Chromium and the product in its list of three. */
export function grease(major: number) {
  const mark = (number: number) => punctuation[number % punctuation.length];
  return {
    brand: `Not${mark(major)}A${mark(major + 1)}Brand`,
    version: versions[major % versions.length],
    places: [...(orders[major % orders.length] ?? '')].map(Number),
  };
}

export const clientHintsRules = {
  'client-hints-missing'({ headers, major, isPlain, isSpecial, https }) {
    if (headers['sec-ch-ua'] !== undefined) return null;
    if (!isPlain) return 'ownUserAgent';
    if (major === null || major < hintsSince) return 'beforeSupport';
    if (isSpecial) return 'special';
    if (https === false) return 'plainHttp';
    const finding = { headers: ['user-agent', 'sec-ch-ua'], values: { major: String(major) } };
    if (https === null) return asInfo(finding, 'ifHttps');
    return major < braveHintsSince ? asInfo(finding, 'oldBrave') : finding;
  },
  'client-hints-unexpected'({ headers, engine, agent }) {
    const hints = Object.keys(headers).filter((name) => name === 'sec-ch-ua' || name.startsWith('sec-ch-ua-'));
    if (hints.length === 0) return null;
    if (agent.raw === '') return 'noUserAgent';
    if (engine === 'blink') return null;
    // A crawler that renamed its Chromium identifies itself as a crawler.
    return {
      headers: ['user-agent', ...hints.slice(0, 8)],
      ...(agent.kind === 'browser' ? {} : { level: 'notice' }),
    };
  },
  'chromium-version-differs'({ hints, major }) {
    const stated = brandListsOf(hints)
      .map(([header, brands]) => ({ header, hinted: chromiumMajor(brands) }))
      .filter(({ hinted }) => hinted !== null);
    if (stated.length === 0 || major === null) return 'nothingToCompare';
    const other = stated.find(({ hinted }) => hinted !== major);
    if (other === undefined) return null;
    const { header, hinted } = other;
    return { headers: ['user-agent', header], values: { hinted: String(hinted), claimed: String(major) } };
  },
  'platform-differs'({ headers, hints, system, isAppliance }) {
    // Hand-written values often lack the quotes: malformed, but unambiguous.
    const hinted = systemOfHint(hints.platform ?? headers['sec-ch-ua-platform']?.replaceAll('"', '') ?? '');
    if (hinted === null || system === null) return 'nothingToCompare';
    if (isAppliance) return 'appliance';
    if (hinted === system) return null;
    const finding = { headers: ['user-agent', 'sec-ch-ua-platform'], values: { hinted, claimed: system } };
    return system === 'Linux' && hinted === 'Android' ? asInfo(finding, 'desktopSite') : finding;
  },
  'mobile-differs'({ hints, products, isPlain, isAppliance }) {
    if (hints.mobile === null) return 'nothingToCompare';
    if (isAppliance) return 'appliance';
    if (!isPlain && !products.has('SamsungBrowser') && !products.has('YaBrowser')) return 'ownUserAgent';
    const claimed = products.has('Mobile');
    if (hints.mobile === claimed) return null;
    return {
      headers: ['user-agent', 'sec-ch-ua-mobile'],
      values: { hinted: hints.mobile ? 'a mobile' : 'not a mobile', claimed: claimed ? 'has' : 'lacks' },
    };
  },
  headless: ({ agent }) => findingIf(agent.raw.includes('HeadlessChrome'), 'user-agent'),
  'headless-hidden'({ agent, hints }) {
    if (agent.raw.includes('HeadlessChrome')) return null;
    const headers = brandListsOf(hints)
      .filter(([, brands]) => brands?.some(({ brand }) => brand === 'HeadlessChrome'))
      .map(([name]) => name);
    return findingIf(headers.length > 0, 'user-agent', ...headers);
  },
  'brands-unexpected'({ hints: { brands } }) {
    const major = chromiumMajor(brands);
    if (brands === null || major === null) return 'nothingToCompare';
    if (major < greaseTested.from) return 'untestedMajor';
    const finding = { headers: ['sec-ch-ua'], values: { major: String(major) } };
    const expected = grease(major);
    const isExpected = ({ brand, version }: Brand) => brand === expected.brand && version === expected.version;
    const sent = brands.filter(({ brand }) => greaseLike.test(brand));
    if (sent.length === 0 || !sent.every(isExpected)) {
      const isFork =
        brands.length !== 3 && !brands.every(({ brand }) => ownBrands.has(brand) || greaseLike.test(brand));
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
  },
} satisfies RuleFunctions;
