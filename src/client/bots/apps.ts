/** Apps of people: which names in their User-Agents name no bot. */
import { personalApps } from '../data/crawler-exceptions.ts';
import type { DeviceType } from '../data/device-vendors.ts';

/** Devices that a person holds or watches; bots state them only in the format of a browser. */
const personal: ReadonlySet<DeviceType | null> = new Set(['mobile', 'tablet', 'smarttv', 'console', 'wearable', 'xr']);

/** A bot, in an app's format, says so in these words, and where to read about it. */
const botWord = /bots?\b|crawl|spider|-agent\b/i;
const contact = /https?:\/\/|\bwww\.|@[\w-]+\./i;

/** Whether a text names a bot in a word of its own or within one. */
export const saysBot = (text: string): boolean => botWord.test(text);

/** Systems that no server runs, and the builds of Android by which Google's apps name them. */
const personalSystem =
  /[Aa]ndroid|i(?:Pad)?OS\b|IOS\b|\bCFNetwork\/.*\bDarwin\/|[ (][A-Z]{2}[A-Z\d]{1,2}\.\d{6}\.\d{3}\b/;

/** An app, or a browser or web view, on a device of a person. */
export type Personal = 'app' | 'view' | null;

/**
 * What a person uses, if the User-Agent claims no bot. An app states itself and the device: `Acme Scanner/2.1 (iPhone; iOS 18.1; Scale/3.00)`.
 * Its name is free text, as that of a game is: `Spider Solitaire`.
 */
export function personalUse(text: string, device: DeviceType | null): Personal {
  const isBrowser = text.startsWith('Mozilla/');
  if (!personal.has(device) && (isBrowser || !personalSystem.test(text))) return null;
  if (/\bcompatible; /i.test(text)) return null;
  if (isBrowser) return contact.test(text) || botWord.test(text) ? null : 'view';
  return contact.test(text) && botWord.test(text) ? null : 'app';
}

/** An app that states no device: one of the table, or by its name a player of music, films or podcasts, or what updates an app. */
export function isListedApp(text: string): boolean {
  if (text.startsWith('Mozilla/')) return false;
  if (personalApps.test(text)) return true;
  return playerName.test(text) && !contact.test(text) && !botWord.test(text);
}

const playerName = /^[\w .+-]{0,40}(?:player|podcast|radio|music|streamer|updater|auto ?update)[\w .+-]{0,20}(?:\/|$)/i;

/** Electron states the app before the Chrome that it contains: https://www.electronjs.org/docs/latest/api/app#appuseragentfallback */
export const electronApp = /like Gecko\) ([^\s()/]{1,60})\/([\w.+-]+) Chrome\/(?=.* Electron\/)/;
