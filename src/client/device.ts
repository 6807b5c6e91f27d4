/** Type, vendor and model of a device, from a User-Agent or a model hint. */
import { UAParser } from 'ua-parser-js';
import { type DeviceToken, deviceTokens, modelTokens } from './data/device-tokens.ts';
import { type DeviceCode, deviceCodes, vendorWords } from './data/device-vendors.ts';
import { modelOf } from './device-model.ts';
import { findRow } from './expression-table.ts';
import { deviceTypes } from './kinds.ts';
import type { UserAgent } from './user-agent-schema.ts';

type DeviceType = UserAgent['device']['type'];

export interface Device {
  type: DeviceType | null;
  vendor: string | null;
  model: string | null;
}

/** The tables, for tests that leave rows out. */
export interface DeviceTables {
  codes: readonly DeviceCode[];
  tokens: readonly DeviceToken[];
  words: Readonly<Record<string, string>>;
  modelTokens: readonly DeviceToken[];
}

export const deviceTables: DeviceTables = { codes: deviceCodes, tokens: deviceTokens, words: vendorWords, modelTokens };

/** Returns vendor and type of a model code; the type is null if the code does not determine it. */
export function deviceOfModel(model: string, tables: DeviceTables = deviceTables): Device {
  const [, vendor, type] = tables.codes.find(([code]) => code.test(model)) ?? [];
  return {
    type: type ?? tables.modelTokens.find(([token]) => token.test(model))?.[1] ?? null,
    vendor: vendor ?? vendorOfWord(model, tables),
    model,
  };
}

/** Returns the device of an Android User-Agent; null for any other. */
export function androidDevice(
  text: string,
  tables: DeviceTables = deviceTables,
  readDevice: ReadDevice = () => ({}),
): Device | null {
  if (!/\b(?:Android|Andr0id|Adr|Kepler|Vega)\b/.test(text) || /Windows Phone|Tizen|Web0S/.test(text)) return null;
  const named = modelOf(text);
  const [, tokenType, tokenVendor] = findRow(tables.tokens, text) ?? [];
  if (named === null) return { type: tokenType ?? typeOfForm(text), vendor: tokenVendor ?? null, model: null };
  const full = deviceOfModel(named.model, tables);
  const model = named.model.replace(makerPrefix, '') || named.model;
  const bare = model === named.model ? full : deviceOfModel(model, tables);
  const vendor = full.vendor ?? bare.vendor ?? vendorOfWord(named.maker ?? '', tables) ?? tokenVendor ?? null;
  const rare = vendor === null ? rareDevice(readDevice()) : null;
  return {
    type: tokenType ?? full.type ?? bare.type ?? rare?.type ?? typeOfForm(text),
    vendor: vendor ?? rare?.vendor ?? null,
    model,
  };
}

/** Reads the device with ua-parser-js; called only if our tables have no vendor. */
export type ReadDevice = () => { type?: string | undefined; vendor?: string | undefined; model?: string | undefined };

/** ua-parser-js knows many rare vendors; without one its type is a guess. */
function rareDevice(read: ReturnType<ReadDevice>): Pick<Device, 'type' | 'vendor'> | null {
  const vendor = nameOf(read.vendor);
  return vendor === null ? null : { vendor, type: typeOf(read.type) };
}

/** Returns the device of a model hint. */
export function deviceOfHint(model: string): Device {
  const byModel = deviceOfModel(model);
  const [, type, vendor] = findRow(deviceTables.tokens, model) ?? [];
  const device = { ...byModel, type: type ?? byModel.type, vendor: byModel.vendor ?? vendor ?? null };
  if (device.vendor !== null) return device;
  // The model where Chrome used to send it.
  const agent = `Mozilla/5.0 (Linux; Android 10; ${model}) AppleWebKit/537.36 Chrome/100 Safari/537.36`;
  const rare = rareDevice(new UAParser(agent).getDevice());
  return { ...device, vendor: rare?.vendor ?? null, type: device.type ?? rare?.type ?? null };
}

/** Browsers omit `Mobile` on tablets; apps and libraries never state it. */
function typeOfForm(text: string): DeviceType {
  if (/\bMobile\b|\bOpera (?:Mini|Mobi)\b/.test(text)) return 'mobile';
  return text.startsWith('Mozilla/') ? 'tablet' : 'mobile';
}

function vendorOfWord(text: string, { words }: DeviceTables): string | null {
  const word = /^[a-z]{2,}/i.exec(text)?.[0].toLowerCase() ?? '';
  return Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}

/** Vendors whose name stands before a model that is complete without it. */
const makerPrefix =
  /^(?:(?:SAMSUNG|HUAWEI|HONOR|OPPO|vivo|ONEPLUS|ONE PLUS|Lenovo|Infinix|TECNO MOBILE|TECNO|itel|Nokia|ASUS|HTC|LGE?|ZTE|realme|Meizu|TCL|Hisense|Coolpad|Micromax|Sony|Alcatel|Archos|Panasonic|Vodafone|HP|Dell|Acer|BenQ|Polytron)[ _]+|(?:SAMSUNG|Infinix|TECNO|itel|ZTE|LG)-)(?=.)/i;

/** Null if ua-parser-js names no type, or one of its own. */
const typeOf = (type: string | undefined): DeviceType | null => deviceTypes.find((known) => known === type) ?? null;

/** Words that ua-parser-js takes for a model or vendor. */
const noName = /^(?:wv|K|Generic|Android|TV|Smart-?TV|unknown|undefined)$/i;

const nameOf = (text: string | undefined): string | null => (text === undefined || noName.test(text) ? null : text);

/** Returns the device of a User-Agent without Android: as ua-parser-js reads it, unless a word in the text names the type. */
export function otherDevice(text: string, read: ReturnType<ReadDevice>, tables: DeviceTables = deviceTables): Device {
  const [, tokenType, tokenVendor] = findRow(tables.tokens, text) ?? [];
  const vendor = tokenVendor ?? nameOf(read.vendor);
  // A television that contains a Chromecast is not one.
  const isOther = tokenType === 'smarttv' && tokenVendor !== undefined && tokenVendor !== read.vendor;
  const type = tokenType ?? typeOf(read.type) ?? formOfPlatform(text);
  // A word between `Mobile` and `Safari` is not a tablet's.
  const isPhone = type === 'tablet' && vendor === null && /\bMobile\b/.test(text);
  return { type: isPhone ? 'mobile' : type, vendor, model: isOther ? null : nameOf(read.model) };
}

/** OpenHarmony states the form first; feature phones have their own platforms. */
function formOfPlatform(text: string): DeviceType | null {
  const form = /\((Phone|Tablet|PC|2in1|TV|Wearable|Car); (?:OpenHarmony|HarmonyOS)/.exec(text)?.[1];
  if (form !== undefined) return typeOfOpenHarmony[form] ?? null;
  return phonePlatform.test(text) ? 'mobile' : null;
}

const phonePlatform =
  /\bOpera (?:Mini|Mobi)\b|\bKAIOS\b|\bMIDP\b|\bSymbian|\bSeries[46]0\b|\bBREW\b|\bUCWEB\b|\bWindows Phone\b/i;

const typeOfOpenHarmony: Readonly<Record<string, DeviceType>> = {
  Phone: 'mobile',
  Tablet: 'tablet',
  PC: 'desktop',
  '2in1': 'desktop',
  TV: 'smarttv',
  Wearable: 'wearable',
  Car: 'embedded',
};
