/** Browser, engine, OS, device and CPU of a User-Agent. */

import { electronApp } from './bots/apps.ts';
import { blankUrls } from './bots/crawlers.ts';
import { type Browser, browserOf, isVersion } from './browser-name.ts';
import { browsers } from './data/corrections.ts';
import { withoutAppProduct } from './device/app-product.ts';
import { androidDevice, type Device, isAndroid, otherDevice, typeOfForm } from './device/device.ts';
import { correctOs, findToken } from './os.ts';
import { parserOf } from './ua-parser.ts';

/** ua-parser-js itself reads no further. */
export const maxLength = 500;

type Parser = ReturnType<typeof parserOf>;

/** Splits a User-Agent into browser, engine, OS, device and CPU: ua-parser-js with our corrections. */
export function parseParts(raw: string) {
  const start = raw.slice(0, maxLength);
  // A URL names the page of an app or bot.
  const text = start.startsWith('Mozilla/') ? start : blankUrls(start);
  const parser = parserOf(text);
  const engine = parser.getEngine();
  const machine = withoutAppProduct(text);
  const ofMachine = machine === text ? parser : parserOf(machine);
  const os = ofMachine.getOS();
  return {
    browser: browserIn(text, parser),
    engine: { name: engine.name ?? null, version: isVersion(engine.version) ? engine.version : null },
    os: correctOs({ name: os.name ?? null, version: os.version ?? null }, machine),
    device: trimNames(deviceIn(machine, ofMachine)),
    cpu: { architecture: parser.getCPU().architecture ?? null },
  };
}

function deviceIn(text: string, parser: Parser): Device {
  if (!isAndroid(text)) return otherDevice(text, parser.getDevice());
  const { type, ...device } = androidDevice(text);
  return { type: type ?? typeOfForm(text), ...device };
}

const trimNames = ({ type, vendor, model, name }: Device): Device => ({
  type,
  vendor: vendor?.trim() || null,
  model: model?.trim() || null,
  name,
});

function browserIn(text: string, parser: Parser): Browser {
  const own = findToken(browsers, text);
  if (own !== null) return browserOf(own.name, own.version);
  const { name, version } = parser.getBrowser();
  const app = name === 'Electron' ? electronApp.exec(text) : null;
  if (app !== null) return browserOf(capitalize(app[1] ?? ''), app[2]);
  // A WebView before Android 5 has no "wv" yet; the stock browser of that version had no Chrome in it.
  const chrome = name === 'Android Browser' ? /\bVersion\/4\.0 Chrome\/([\d.]+)/.exec(text) : null;
  return chrome === null ? browserOf(name, version) : browserOf('Chrome WebView', chrome[1]);
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
