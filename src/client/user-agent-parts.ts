/** Browser, engine, OS, device and CPU of a User-Agent. */
import { type Browser, browserOf } from './browser-name.ts';
import { browsers } from './data/corrections.ts';
import { androidDevice, type Device, isAndroid, otherDevice, typeOfForm } from './device/device.ts';
import { correctOs, findToken } from './os.ts';
import { parserOf } from './ua-parser.ts';

/** ua-parser-js itself reads no further. */
export const maxLength = 500;

type Parser = ReturnType<typeof parserOf>;

/** Splits a User-Agent into browser, engine, OS, device and CPU: ua-parser-js with our corrections. */
export function parseParts(raw: string) {
  const text = raw.slice(0, maxLength);
  const parser = parserOf(text);
  const engine = parser.getEngine();
  const os = parser.getOS();
  return {
    browser: browserIn(text, parser),
    engine: { name: engine.name ?? null, version: engine.version ?? null },
    os: correctOs({ name: os.name ?? null, version: os.version ?? null }, text),
    device: deviceIn(text, parser),
    cpu: { architecture: parser.getCPU().architecture ?? null },
  };
}

function deviceIn(text: string, parser: Parser): Device {
  if (!isAndroid(text)) return otherDevice(text, parser.getDevice());
  const { type, ...device } = androidDevice(text);
  return { type: type ?? typeOfForm(text), ...device };
}

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

/** Electron states the app before the Chrome that it contains: https://www.electronjs.org/docs/latest/api/app#appuseragentfallback */
const electronApp = /like Gecko\) ([A-Za-z][\w.-]{1,40})\/([\w.]+) Chrome\//;

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
