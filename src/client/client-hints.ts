/**
 * Client Hints of Chromium browsers: the `Sec-CH-UA*` request headers (https://wicg.github.io/ua-client-hints/), and what they add to a User-Agent:
 * only hints have the versions and models that reduced strings omit.
 */
import { majorOf } from './browser-name.ts';
import { browserOfBrand, systemOfPlatform, typeOfFormFactor } from './data/stated-names.ts';
import { deviceOfHint } from './device/device.ts';
import type { UserAgent } from './user-agent-schema.ts';

export type Brand = { readonly brand: string; readonly version: string };

export type ClientHints = ReturnType<typeof clientHints>;

/** Value of the `Accept-CH` response header: the hints read here that browsers send only on request. */
export const acceptClientHints = [
  'Sec-CH-UA-Full-Version-List',
  'Sec-CH-UA-Platform-Version',
  'Sec-CH-UA-Model',
  'Sec-CH-UA-Arch',
  'Sec-CH-UA-Bitness',
  'Sec-CH-UA-Form-Factors',
].join(', ');

/**
 * Reads the hints from request headers (lower-case names) as structured fields (RFC 9651). A member is null if its header is absent, empty,
 * malformed or too long. Brand lists are as sent, GREASE included.
 */
export function clientHints(headers: Readonly<Record<string, string>>) {
  return {
    brands: readBrands(headers['sec-ch-ua']),
    fullVersionList: readBrands(headers['sec-ch-ua-full-version-list']),
    mobile: readBoolean(headers['sec-ch-ua-mobile']),
    platform: readString(headers['sec-ch-ua-platform']),
    platformVersion: readString(headers['sec-ch-ua-platform-version']),
    model: readString(headers['sec-ch-ua-model']),
    architecture: readString(headers['sec-ch-ua-arch']),
    bitness: readString(headers['sec-ch-ua-bitness']),
    formFactors: readStrings(headers['sec-ch-ua-form-factors']),
  };
}

/** Returns the brands without the GREASE entry, which is `Not`, `A` and `Brand` with varying punctuation between. */
export const withoutGrease = (brands: readonly Brand[]): readonly Brand[] =>
  brands.filter(({ brand }) => !/^[\W_]*Not[\W_]?A[\W_]?Brand[\W_]*$/i.test(brand.slice(0, 32)));

/** The longest list that Chromium sends is under 200 characters. */
const maxLength = 1024;

// The grammar of an item with a string, and of the comma or the end after it (RFC 9651 §4.2).
const text = String.raw`[ !#-[\]-~]*(?:\\["\\][ !#-[\]-~]*)*`;
const parameters = String.raw`(?:; *[a-z*][a-z\d_.*-]*(?:=(?:"${text}"|-?\d+(?:\.\d+)?|[A-Za-z*][\w.*:/-]*|\?[01]))?)*`;
const separator = String.raw`[ \t]*(?:,[ \t]*(?!$)|$)`;

// Without the general parser of structured fields, which costs 3 µs for each list: a tenth of /json.
const brandItem = new RegExp(` *"(${text})"${parameters}; *v="(${text})"${parameters}${separator}`, 'y');
const stringItem = new RegExp(` *"(${text})"${parameters}${separator}`, 'y');

/** The items of a list; null if one has another form. */
function itemsOf(field: string | undefined, form: RegExp): RegExpExecArray[] | null {
  if (typeof field !== 'string' || field.length > maxLength) return null;
  const items: RegExpExecArray[] = [];
  form.lastIndex = 0;
  while (form.lastIndex < field.length) {
    const item = form.exec(field);
    if (item === null) return null;
    items.push(item);
  }
  return items.length === 0 ? null : items;
}

const withoutEscapes = (content = ''): string => (content.includes('\\') ? content.replace(/\\(.)/g, '$1') : content);

const readBrands = (field: string | undefined): readonly Brand[] | null =>
  itemsOf(field, brandItem)?.map(([, brand, version]) => ({
    brand: withoutEscapes(brand),
    version: withoutEscapes(version),
  })) ?? null;

const readStrings = (field: string | undefined): readonly string[] | null =>
  itemsOf(field, stringItem)?.map(([, content]) => withoutEscapes(content)) ?? null;

function readString(field: string | undefined): string | null {
  const [first, ...others] = readStrings(field) ?? [];
  return first && others.length === 0 ? first : null;
}

const readBoolean = (field: string | undefined): boolean | null =>
  field === '?1' ? true : field === '?0' ? false : null;

/** Merges hints into the result of a User-Agent: only Chromium sends them, so others change nothing. If hints and string disagree, the string decides. */
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
