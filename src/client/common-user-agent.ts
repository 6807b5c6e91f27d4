/** A shortcut for User-Agents in the format of common browsers: one expression reads their comment and products. */
import { browserOf } from './browser-name.ts';
import { androidMachine, firefoxOnAndroid, iosMachine, type Machine, machineOf } from './common-machine.ts';
import { iosDesktopSite } from './data/device-tokens.ts';
import { browserOfProduct } from './data/stated-names.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Named = Pick<UserAgent, 'browser' | 'engine'>;

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
