/** Type, vendor and model of a device, from a User-Agent or a model hint. */
import { deviceTokens, modelTokens, typeOfOpenHarmony } from '../data/device-tokens.ts';
import { type DeviceType, deviceCodes, vendorWords } from '../data/device-vendors.ts';
import { makerNameOf, phoneMakers } from '../data/maker-names.ts';
import { findRow } from '../expression-table.ts';
import { deviceTypes } from '../kinds.ts';
import type { UserAgent } from '../user-agent-schema.ts';
import { modelBefore, modelOf } from './model.ts';
import { findDevice } from './table.ts';

export type Device = Omit<UserAgent['device'], 'type'> & { type: DeviceType | null };

/** A whole model in the table decides, then the scheme of a maker's codes, then the start of a model in the table. `listed` is null in a Worker. */
export function deviceOfModel(model: string, listed = findDevice(model)): Device {
  if (listed?.isWhole) return { type: listed.type, vendor: listed.vendor, model, name: listed.name };
  const [, maker, type] = deviceCodes.find(([code]) => code.test(model)) ?? [];
  const vendor = maker ?? vendorOfWord(model) ?? listed?.vendor ?? null;
  const ofWord = () => modelTokens.find(([token]) => token.test(model))?.[1];
  const ofTable = listed?.vendor === vendor ? listed?.type : null;
  return { type: type ?? ofWord() ?? ofTable ?? null, vendor, model, name: null };
}

/** Whether a User-Agent is of Android, or of a system that states itself in the same form. */
export const isAndroid = (text: string): boolean =>
  /\b(?:Android|Andr0id|Adr|Kepler|Vega)\b/.test(text) && !/Windows Phone|Tizen|Web0S/.test(text);

/** Returns the device of an Android User-Agent, or of its comment; the type is null if nothing but `Mobile` determines it. */
export function androidDevice(text: string): Device {
  const named = modelOf(text) ?? (text.startsWith('Mozilla/') ? null : modelFirst(text)) ?? namedPhone(text);
  const [, tokenType = null, tokenVendor = null] = findRow(deviceTokens, text) ?? [];
  if (named === null) return { type: tokenType, vendor: tokenVendor, model: null, name: null };
  const full = deviceOfModel(named.model);
  const model = named.model.replace(makerPrefix, '') || named.model;
  const bare = model === named.model ? full : deviceOfModel(model);
  const stated = named.maker === null ? null : makerNameOf(named.maker);
  const vendor = full.vendor ?? bare.vendor ?? stated;
  // The same code may be that of another maker.
  if (stated !== null && vendor !== stated) return { type: tokenType, vendor: stated, model, name: null };
  const type = tokenType ?? full.type ?? bare.type;
  return { type, vendor: vendor ?? tokenVendor, model, name: full.name ?? bare.name };
}

/** What stands before the system is a model only if it is a known one. */
function modelFirst(text: string) {
  const model = modelBefore(text);
  return model === null || deviceOfModel(model).vendor === null ? null : { model, maker: null };
}

/** Returns the device of a model hint. */
export function deviceOfHint(model: string): Device {
  const device = deviceOfModel(model);
  const [, type, vendor] = findRow(deviceTokens, model) ?? [];
  return { ...device, type: type ?? device.type, vendor: device.vendor ?? vendor ?? null };
}

/** Browsers omit `Mobile` on tablets; apps and libraries never state it. */
export function typeOfForm(text: string): DeviceType {
  if (/\bMobile\b|\bOpera (?:Mini|Mobi)\b/.test(text)) return 'mobile';
  return text.startsWith('Mozilla/') ? 'tablet' : 'mobile';
}

function vendorOfWord(text: string): string | null {
  const word = /^[a-z]{2,}/i.exec(text)?.[0].toLowerCase() ?? '';
  return Object.hasOwn(vendorWords, word) ? (vendorWords[word] ?? null) : null;
}

/** Vendors whose name stands before a model that is complete without it. */
const makerPrefix =
  /^(?:(?:SAMSUNG|HUAWEI|HONOR|OPPO|vivo|ONEPLUS|ONE PLUS|Lenovo|Infinix|TECNO MOBILE|TECNO|itel|Nokia|ASUS|HTC|LGE?|ZTE|realme|Meizu|TCL|Hisense|Coolpad|Micromax|Sony|Alcatel|Archos|Panasonic|Vodafone|HP|Dell|Acer|BenQ|Polytron)[ _]+|Google[ _]+(?=Pixel|Nexus)|Xiaomi[ _]+(?=\d{4}\w*[A-Z])|(?:SAMSUNG|Infinix|TECNO|itel|ZTE|LG)-)(?=.)/i;

/** Null if ua-parser-js names no type, or one of its own. */
const typeOf = (type: string | undefined): DeviceType | null => deviceTypes.find((known) => known === type) ?? null;

/** Words that ua-parser-js mistakes for a model or vendor. */
const noName = /^(?:wv|K|Generic|Android|TV|Smart-?TV|unknown|undefined)$/i;

const nameOf = (text: string | undefined): string | null => (text === undefined || noName.test(text) ? null : text);

/** A maker, then a model with a digit: phones before Android and iOS, and apps on Android. */
const makerAndModel = new RegExp(
  `(?:^|[\\s(;/:_-])(${phoneMakers.join('|')})(?:[-_ /;]|(?=[A-Z\\d]))(?:\\1[-_ ])?([a-z]{0,9}[-_ ]?[a-z]{0,3}\\d[\\w+-]*(?: (?:Flip|Tough|classic|slide|fold|4G|XpressMusic)\\b)?|(?<=HTC[-_ ])[A-Z][a-z]+(?:[-_ ][A-Z]\\w*)*)`,
  'i',
);

function namedPhone(text: string) {
  const [, maker, model] = makerAndModel.exec(text) ?? [];
  return maker === undefined || model === undefined ? null : { maker, model };
}

/** Windows names its makers' toolbars beside it; phones state Windows NT only with their own words. */
const computer = /\bWindows (?:NT|9[58]|ME)\b(?!.*\b(?:ARM|WPDesktop|IEMobile|Phone)\b)/;

/** Hardware with a number, as Apple's systems name it, and the names of the devices as apps state them. */
const appleHardware = /(?<!like )\b(iPhone|iPad|iPod)(\d{1,2}[,_]\d{1,2})\b/;
const appleName = /(?:[(;/-] ?)(iPhone|iPad|iPod)(?: touch)?(?=[;)/])/;

/** Returns the Apple device that an app states: `(iPad;iOS 17.2)`, `Apple/iPad7,11`, `Acme-iPad/1.0`. A browser states no hardware. */
function appleDevice(text: string) {
  const [, name, number = ''] =
    (text.startsWith('Mozilla/') ? null : appleHardware.exec(text)) ?? appleName.exec(text) ?? [];
  if (name === undefined) return null;
  return {
    type: name === 'iPad' ? 'tablet' : 'mobile',
    vendor: 'Apple',
    model: `${name}${number.replace('_', ',')}`,
    name: null,
  } as const;
}

/** The device as ua-parser-js reads it. */
type Read = { type?: string | undefined; vendor?: string | undefined; model?: string | undefined };

/** Whether ua-parser-js took the beginning of a word for a maker, and its rest for the model: `advan` and `ced`. A code has a digit. */
const isWordPart = (text: string, { vendor = '', model = '' }: Read): boolean =>
  /^[a-z]+(?: \D*)?$/.test(model) && text.includes(`${vendor}${model}`.toLowerCase());

/** Returns the device of a User-Agent without Android: as ua-parser-js reads it, unless a word in the text names the type. */
export function otherDevice(text: string, parsed: Read): Device {
  const isComputer = computer.test(text);
  const read = (isComputer && parsed.type === 'mobile') || isWordPart(text, parsed) ? {} : parsed;
  const [, tokenType, tokenVendor] = findRow(deviceTokens, text) ?? [];
  const apple = appleDevice(text);
  if (apple !== null && (read.vendor === undefined || read.model?.startsWith(apple.model.slice(0, 2))))
    return { ...apple, type: tokenType ?? apple.type };
  const isPhoneless = tokenType !== undefined || isComputer || /^(?:iP|Mac)/.test(read.model ?? '');
  const phone = isPhoneless ? null : namedPhone(text);
  if (phone !== null)
    return { type: typeOf(read.type) ?? 'mobile', vendor: makerNameOf(phone.maker), model: phone.model, name: null };
  const vendor = tokenVendor ?? makerNameOf(nameOf(read.vendor) ?? '');
  // A television that contains a Chromecast is not one, nor is a tablet or an iPhone that states a Macintosh.
  const isOther =
    tokenType === 'unknown' ||
    (/^(?:smarttv|tablet)$/.test(tokenType ?? '') && tokenVendor !== undefined && tokenVendor !== read.vendor);
  const type = tokenType ?? typeOf(read.type) ?? formOfPlatform(text);
  // A word between `Mobile` and `Safari` is not a tablet's.
  const isPhone = type === 'tablet' && vendor === null && /\bMobile\b/.test(text);
  return { type: isPhone ? 'mobile' : type, vendor, model: isOther ? null : nameOf(read.model), name: null };
}

/** OpenHarmony states the form first; feature phones have their own platforms. */
function formOfPlatform(text: string): DeviceType | null {
  const form = /\((Phone|Tablet|PC|2in1|TV|Wearable|Car); (?:OpenHarmony|HarmonyOS)/.exec(text)?.[1];
  if (form !== undefined) return typeOfOpenHarmony[form] ?? null;
  return phonePlatform.test(text) ? 'mobile' : null;
}

const phonePlatform =
  /\bOpera (?:Mini|Mobi)\b|\bKAIOS\b|\bMIDP\b|\bSymbian|\bSeries[46]0\b|\bBREW\b|\bUCWEB\b|\bWindows Phone\b|\bIEMobile\b|\bUP\.Browser\b|\bKDDI-|\bDoCoMo\b/i;
