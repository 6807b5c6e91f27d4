/**
 * Browsers and systems that ua-parser-js 1 and uap-core do not know or get wrong, by their own tokens. Sources: the vendors' pages on
 * their User-Agents, the browsers' source. Last updated: 2026-11-23.
 */

import { iosDesktopSite, silkOnDesktop } from './device-tokens.ts';

type Corrections = readonly (readonly [token: RegExp, name: string])[];

/** Token (its first group is the version) and name of a browser; they precede every parser. */
export const browsers: Corrections = [
  [/\bAtlas\/([\d.]+)/, 'Atlas'],
  [/\bTelegram-Android\/([\d.]+)/, 'Telegram'],
  [/\bAlohaBrowser(?:Mobile)?\/([\d.]+)/, 'Aloha Browser'],
  [/\bHonorBrowser\/([\d.]+)/i, 'Honor Browser'],
  [/\bVewd\/([\d.]+)/, 'Vewd'],
  [/\bOpenWave\/([\d.]+)/, 'OpenWave'],
  [/\bEcosia (?:android|ios)@([\d.]+)/, 'Ecosia'],
  [/\bPHX\/([\d.]+)/, 'Phoenix'],
  [/\bOdin\/([\d.]+)/, 'Odin'],
  [/\bHiBrowser\/v?([\d.]+)/, 'HiBrowser'],
  [/\b360[SE]E\/([\d.]+)/, '360'],
  [/\bABB\/([\d.]+)/, 'AdBlock Browser'],
  [/\bMZBrowser\/([\d.-]+)/, 'MZBrowser'],
  [/\bSoul\/([\d.]+)/, 'Soul'],
  [/\bAvira\/([\d.]+)/, 'Avira'],
  [/\bNorton\/([\d.]+)/, 'Norton'],
  [/\bCCleaner\/([\d.]+)/, 'CCleaner'],
  [/\bValve (?:Steam (?:Client|GameOverlay)|Client)\/([\w.]*)/, 'Steam'],
  [/\bOBS\/([\d.]+)/, 'OBS'],
  [/\bLadybird\/([\d.]+)/, 'Ladybird'],
  [/\bViber\/([\d.]+)/, 'Viber'],
  [/\bNF\/([\d.]+)/, 'NetFront'],
  [/\[LinkedInApp\]\/([\d.]+)/, 'LinkedIn'],
  [/\bReddit\/Version ([\d.]+)/, 'Reddit'],
  [/\bBarcelona ([\d.]+)/, 'Threads'],
  [/\bLG Browser\/([\d.]+)/, 'LG Browser'],
  [/\bCode\/([\d.]+)(?=.* Electron\/)/, 'Visual Studio Code'],
  // ua-parser-js knows only the form of iOS, where Safari comes after it.
  [/\bGSA\/([\d.]+)/, 'GSA'],
  [/\bZalo (?:android|iOS)\/([\d.]+)/i, 'Zalo'],
  [/\bBingSapphire\/([\d.]+)/, 'Bing'],
  [/\btrill_(?:\d+ .*\bapp_version\/)?([\d.]+)/, 'TikTok'],
  // Netscape before 6 was Mozilla itself; later browsers add `compatible` or name another engine.
  [/^Mozilla\/([1-4]\.\d+)\w*(?: \[[\w-]+\][\w-]*)? \((?!compatible)[^()]*; [UIN](?:[;)])/, 'Netscape'],
  [/\bSafari\/[\d.]+ Brave(?:\/([\d.]+))?/, 'Brave'],
  [/\bBrave Chrome\/([\d.]+)/, 'Brave'],
  [/\bQtCarBrowser\b/, 'QtCarBrowser'],
  [/\bTeams\/([\d.]+)/, 'Teams'],
  // Phones of Motorola, and those with the software of MediaTek.
  [/\b(?:MIB\/(?:BER)?|BER)(\d[\d.]*)/, 'Motorola Internet Browser'],
  [/\bMAUI[ _]WAP[ _]Browser\b/i, 'MAUI WAP Browser'],
];

/** Token (its first group is the version) and name of an OS. */
export const systems: Corrections = [
  [silkOnDesktop, 'Fire OS'],
  [iosDesktopSite, 'iOS'],
  [/\bOpenHarmony(?:[ /]([\d.]+))?/, 'OpenHarmony'],
  [/\b(?:Vega|Kepler)[ /]([\d.]+).*\bAFT/, 'Vega'],
  [/\bWindows[- ](Server \d{4}(?: R2)?)/, 'Windows'],
  [/\bWindows NT;.*\bNT (10)\.0;.*PowerShell/, 'Windows'],
  [/\bVIZIO\b.*\bSmartCast|\bSmartCast\b.*\bVIZIO\b/i, 'ViziOS'],
  [/\bAdr ([\d.]+)/, 'Android'],
  [/\bKAIOS\/([\d.]+)/i, 'KaiOS'],
  [/\bRoku\/DVP-([\d.]+)/, 'Roku'],
  [/\bVIDAA(?:\/| ?U?)([\d.]+)?/, 'VIDAA'],
  [/\bViziOS(?:\/([\d.]+))?/i, 'ViziOS'],
  [/\bWEBOS(\d\.[\d.]+)/, 'webOS'],
  [/\bWEBOS[\d.]*(?: ([\d.]+))?/, 'webOS'],
  [/\bWatch OS ([\d_]+)/, 'watchOS'],
  [/\btvOS\b(?:[ /]([\d.]+))?/, 'tvOS'],
  [/(?<!Mac )\bOS X[ /](\d[\d._]*)/, 'Mac OS'],
  [/\bwds ([\d.]+)/, 'Windows Phone'],
  [/[;(]Android(\d[\d.]*)/, 'Android'],
  [/\bApple TV;.* OS ([\d_.]+)/, 'tvOS'],
  [/\bAndr0id(?: ([\d.]+))?/, 'Android'],
  [/\bAndroid\b.*; [\w ]*\bChromebook\b/, 'Chromium OS'],
];

/** The same, as only apps state it. */
export const appSystems: Corrections = [
  [/\bCPU i(?:Pad)?OS (\d[\d_]*)/, 'iOS'],
  [/\biP(?:hone|ad)\/(\d[\d.]*) hw\//, 'iOS'],
  // Instagram's and Facebook's apps.
  [/\bAndroid \(\d\d\/(\d[\d.]*); /, 'Android'],
  [/\bFBAN\/(?:FB4A|[\w-]*Android)\b.*\bFBSV\/([\d.]+)/, 'Android'],
];

/** The same, used only if the parser names no OS. */
export const vagueSystems: Corrections = [
  [/\bWindows ?CE\b(?: ([\d.]+))?/, 'Windows CE'],
  [/\bWindows (XP|ME)\b/, 'Windows'],
  [/\bWindows\b/, 'Windows'],
  [/\bPalm ?OS\b(?: ([\d.]+))?/, 'Palm'],
  [/\bBREW\b(?: ([\d.]+))?/, 'BREW'],
  [/\bSeries[68]0\/([\d.]+)/, 'Symbian'],
  [/\bS60(?:V\d|\/[\d.]+)?\b/, 'Symbian'],
  [/\bBrew(?: MP)?\b(?: ([\d.]+))?|\bBMP\/([\d.]+)/, 'BREW'],
  [/\biPhone\b|\b(?:i[Pp]hone|iPad)\b|\biOS\b/, 'iOS'],
];
