/** What ua-parser-js 1 and uap-core do not know or get wrong: browsers, systems and devices by their own tokens. */
import type { UserAgent } from './user-agent-schema.ts';

export type Corrections = {
  readonly browsers: readonly (readonly [token: RegExp, name: string])[];
  readonly systems: readonly (readonly [token: RegExp, name: string])[];
  readonly vagueSystems: readonly (readonly [token: RegExp, name: string])[];
  readonly devices: readonly (readonly [token: RegExp, type: UserAgent['device']['type']])[];
  readonly vendors: readonly (readonly [token: RegExp, name: string])[];
};

/** A browser's token (its first group is the version) and name; asked before any parser. Last updated: 2026-11-21. */
const browsers: Corrections['browsers'] = [
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
  [/\bTrae\/([\d.]+)(?=.* Electron\/)/, 'Trae'],
  [/\bCode\/([\d.]+)(?=.* Electron\/)/, 'Visual Studio Code'],
  [/\bCursor\/([\d.]+)(?=.* Electron\/)/, 'Cursor'],
  // ua-parser-js only knows the form of iOS, where Safari comes after it.
  [/\bGSA\/([\d.]+)/, 'GSA'],
  [/\bZalo (?:android|iOS)\/([\d.]+)/i, 'Zalo'],
  [/\bBingSapphire\/([\d.]+)/, 'Bing'],
  [/\btrill_(?:\d+ .*\bapp_version\/)?([\d.]+)/, 'TikTok'],
  // Netscape before 6 was Mozilla itself; everybody since adds `compatible` or names another engine.
  [/^Mozilla\/([1-4]\.\d+)\w*(?: \[[\w-]+\][\w-]*)? \((?!compatible)[^()]*; [UIN](?:[;)])/, 'Netscape'],
  [/\bSafari\/[\d.]+ Brave(?:\/([\d.]+))?/, 'Brave'],
];

/** A system's token (its first group is the version) and name. */
const systems: Corrections['systems'] = [
  [/\bRoku\/DVP-([\d.]+)/, 'Roku'],
  [/\bVIDAA\/([\d.]+)/, 'VIDAA'],
  [/\bViziOS(?:\/([\d.]+))?/i, 'ViziOS'],
  [/\bWEBOS[\d.]*(?: ([\d.]+))?/, 'webOS'],
  [/\bWatch OS ([\d_]+)/, 'watchOS'],
  [/\bApple TV;.* OS ([\d_.]+)/, 'tvOS'],
  [/\bAndr0id(?: ([\d.]+))?/, 'Android'],
  [/\bAndroid\b.*; [\w ]*\bChromebook\b/, 'Chromium OS'],
];

/** The same for systems that only tell where nothing else does. */
const vagueSystems: Corrections['systems'] = [
  [/\bWindows ?CE\b(?: ([\d.]+))?/, 'Windows CE'],
  [/\bWindows (XP|ME)\b/, 'Windows'],
  [/\bWindows\b/, 'Windows'],
  [/\bPalm ?OS\b(?: ([\d.]+))?/, 'Palm'],
  [/\bBREW\b(?: ([\d.]+))?/, 'BREW'],
  [/\bSeries[68]0\/([\d.]+)/, 'Symbian'],
  [/\biPhone\b/, 'iOS'],
];

/** A device's token and type. */
const devices: Corrections['devices'] = [
  [/\b(?:OculusBrowser|PicoBrowser|Wolvic)\//, 'xr'],
  [/\b(?:Vewd|VIDAA|LG Browser)\/|\bViziOS\b/, 'smarttv'],
  [/\bHbbTV\/|\bWeb0S\b/, 'smarttv'],
  [/; Google TV Streamer\b/, 'smarttv'],
  [/\bApple Watch\b|\bPixel Watch\b/, 'wearable'],
  [/\bOpera (?:Mini|Mobi)\b/, 'mobile'],
  [/\bChromebook\b/, 'desktop'],
];

/** A device's token and vendor, for devices that ua-parser-js knows none of. */
const vendors: Corrections['vendors'] = [
  [/; Pixel \w/, 'Google'],
  [/; Google TV Streamer\b/, 'Google'],
];

export const corrections: Corrections = { browsers, systems, vagueSystems, devices, vendors };
