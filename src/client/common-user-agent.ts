/** A shortcut for User-Agents in the format of common browsers: one expression reads their comment and products. */
import { browserOf } from './browser-name.ts';
import { iosDesktopSite } from './data/device-tokens.ts';
import { browserOfProduct, commonSystems } from './data/stated-names.ts';
import { androidDevice } from './device/device.ts';
import { unfrozenVersion } from './os.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Named = Pick<UserAgent, 'browser' | 'engine'>;
/** What the comment states. */
type Machine = Pick<UserAgent, 'os' | 'device' | 'cpu'>;

/** The part before the products; the group is the comment. */
const start = '^Mozilla/5\\.0 \\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)';
const number = '\\d{1,9}(?:\\.\\d{1,9}){0,4}';
const specificProduct = `(?: ((?:${Object.keys(browserOfProduct).join('|')})/${number}))?`;

/** Matches Chrome, Safari, the browsers on iOS, and those that are built on Chromium, with their products in the order in which they state them. */
const webKitTemplate = new RegExp(
  `${start} AppleWebKit/(${number}) \\(KHTML, like Gecko\\)(?: Version/(${number}))?${specificProduct}(?: Chrome/(${number}))?` +
    `${specificProduct}(?: Yowser/${number})?( Mobile(?:/\\d{1,2}[A-Z]\\d{1,5}[a-z]?)?)?(?: Safari/${number})?${specificProduct}$`,
);
const firefoxTemplate = new RegExp(`${start} Gecko/[\\d.]{1,12} Firefox/(${number})$`);

/** Longer User-Agents follow no template. */
const maxLength = 400;

/** Returns what the full parser returns; null if the User-Agent has another format. */
export function commonUserAgent(raw: string): UserAgent | null {
  if (raw.length > maxLength) return null;
  return raw.includes(' Firefox/') ? readFirefox(raw) : readWebKit(raw);
}

function readWebKit(raw: string): UserAgent | null {
  const match = webKitTemplate.exec(raw);
  if (match === null || iosDesktopSite.test(raw)) return null;
  const [, comment = '', kit = '', version, early, chrome, later, mobile, last] = match;
  const isMobile = mobile !== undefined;
  const machine = machineOf(comment) ?? iosMachine(raw, comment) ?? androidMachine(comment, isMobile);
  if (machine === null) return null;
  const { name } = machine.os;
  if (isMobile !== (name === 'iOS') && name !== 'Android') return null;
  // A User-Agent that names two browsers needs the full parser.
  if ((early !== undefined && (later ?? last) !== undefined) || (later !== undefined && last !== undefined))
    return null;
  const own = early ?? later ?? last;
  const isBlink = chrome !== undefined && kit.startsWith('537.36');
  const isUsual =
    chrome === undefined
      ? (name === 'iOS' || name === 'Mac OS') && (version ?? own) !== undefined
      : Number.parseInt(chrome, 10) >= 30 &&
        (version === undefined ? !comment.endsWith('; wv') : version === '4.0' && name === 'Android' && isBlink);
  if (!isUsual) return null;
  const ofChrome = version === undefined ? 'Chrome' : 'Chrome WebView';
  const ofSafari = name === 'iOS' ? 'Mobile Safari' : 'Safari';
  const ofEngine = chrome === undefined ? ofSafari : ofChrome;
  const browser = own === undefined ? browserOf(ofEngine, chrome ?? version) : browserIn(own);
  const engine = isBlink ? { name: 'Blink', version: chrome } : { name: 'WebKit', version: kit };
  return resultOf(raw, machine, { browser, engine });
}

function browserIn(product: string): UserAgent['browser'] {
  const slash = product.indexOf('/');
  return browserOf(browserOfProduct[product.slice(0, slash)], product.slice(slash + 1));
}

function readFirefox(raw: string): UserAgent | null {
  const [, comment = '', firefox] = firefoxTemplate.exec(raw) ?? [];
  const [, system = '', gecko = ''] = /^(.*); rv:(\d{1,3}\.\d{1,3})$/.exec(comment) ?? [];
  const [, version, form] = /^Android ([12]?\d(?:\.\d){0,2}); (Mobile|Tablet)$/.exec(system) ?? [];
  const machine = version === undefined ? machineOf(system) : firefoxOnAndroid(version, form);
  if (machine === null) return null;
  const browser = browserOf('Firefox', firefox);
  return resultOf(raw, machine, { browser, engine: { name: 'Gecko', version: gecko } });
}

/** The caller may change the result, but not the tables. */
const resultOf = (raw: string, { os, device, cpu }: Machine, { browser, engine }: Named): UserAgent => ({
  raw,
  browser,
  engine,
  os: { ...os },
  device: { ...device },
  cpu: { ...cpu },
  kind: 'browser',
  bot: null,
});

const desktop = { type: 'desktop', vendor: null, model: null, name: null } as const;
const mac = { type: 'desktop', vendor: 'Apple', model: 'Macintosh', name: null } as const;
const amd64 = { architecture: 'amd64' };
const unknownCpu = { architecture: null };

const machines: ReadonlyMap<string, Machine> = new Map(
  commonSystems.map(([comment, name, version]) => [comment, { os: { name, version }, device: desktop, cpu: amd64 }]),
);

const macOs = /^Macintosh; Intel Mac OS X (\d{2}[._]\d{1,2}(?:[._]\d{1,2})?)$/;
const ios = /^(?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{1,2}(?:_\d{1,2}){1,2}) like Mac OS X$/;
/** The model of a phone is free text. The full parser takes 32 and 64 for architectures. */
const androidComment = /^Linux; (?:U; )?Android ([12]?\d(?:\.\d{1,2}){0,2})(?:; ([\w .,+/()-]{1,90}))?(?:; wv)?$/;
/** What is not a browser on a phone, although its model is free text. */
const namesOther = /bot|crawl|spider|http|compatible|headless|fetch|preview|scan|monitor/i;

const firefoxOnAndroid = (version: string, form: string | undefined): Machine => ({
  os: { name: 'Android', version },
  device: { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null, name: null },
  cpu: unknownCpu,
});

function machineOf(comment: string): Machine | null {
  const known = machines.get(comment);
  if (known !== undefined) return known;
  const version = macOs.exec(comment)?.[1]?.replaceAll('_', '.');
  return version === undefined ? null : { os: { name: 'Mac OS', version }, device: mac, cpu: unknownCpu };
}

/** Models that also determine the OS or the CPU, so that the full parser must run. */
const specialModel = /(?:^|; )(?:AFT|KF[A-Z]|AEO)|Chromebook|x86|x64|arm|aarch|amd|i\d86|ia32|ppc|mips|sparc|avr|irix/i;

function androidMachine(comment: string, isMobile: boolean): Machine | null {
  const [, version = '', model = ''] = androidComment.exec(comment) ?? [];
  if (version === '') return null;
  const os = { name: 'Android', version };
  const byForm = isMobile ? 'mobile' : 'tablet';
  if (model === 'K') return { os, device: { type: byForm, vendor: null, model: null, name: null }, cpu: unknownCpu };
  if (specialModel.test(model) || namesOther.test(model)) return null;
  const { type, ...device } = androidDevice(comment);
  return { os, device: { type: type ?? byForm, ...device }, cpu: unknownCpu };
}

function iosMachine(raw: string, comment: string): Machine | null {
  const [, phone, version] = ios.exec(comment) ?? [];
  if (version === undefined) return null;
  return {
    os: { name: 'iOS', version: unfrozenVersion(version.replaceAll('_', '.'), raw) },
    device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad', name: null },
    cpu: unknownCpu,
  };
}
