/** What ua-parser-js 1 and uap-core do not know or get wrong: browsers, systems and devices by their own tokens. */

/** A browser's token (its first group is the version) and name; asked before any parser. Last updated: 2026-11-21. */
export const browserTokens: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bDdg\/([\d.]+)/, 'DuckDuckGo'],
  [/\bAtlas\/([\d.]+)/, 'Atlas'],
  [/\bOPT\/([\d.]+)/, 'Opera Touch'],
  [/\bTelegram-Android\/([\d.]+)/, 'Telegram'],
  [/\bAlohaBrowser(?:Mobile)?\/([\d.]+)/, 'Aloha Browser'],
  [/\bHonorBrowser\/([\d.]+)/i, 'Honor Browser'],
  [/\bVewd\/([\d.]+)/, 'Vewd'],
  [/\bOpenWave\/([\d.]+)/, 'OpenWave'],
  [/\bEcosia (?:android|ios)@([\d.]+)/, 'Ecosia'],
  [/\bPHX\/([\d.]+)/, 'Phoenix'],
  [/\bOdin\/([\d.]+)/, 'Odin'],
  [/\bHiBrowser\/v?([\d.]+)/, 'HiBrowser'],
  [/\bABB\/([\d.]+)/, 'AdBlock Browser'],
  [/\bMZBrowser\/([\d.-]+)/, 'MZBrowser'],
  [/\bSoul\/([\d.]+)/, 'Soul'],
  [/\bAvira\/([\d.]+)/, 'Avira'],
  [/\bNorton\/([\d.]+)/, 'Norton'],
  [/\bCCleaner\/([\d.]+)/, 'CCleaner'],
  [/\bValve (?:Steam (?:Client|GameOverlay)|Client)\/([\w.]*)/, 'Steam'],
  [/\bOBS\/([\d.]+)/, 'OBS'],
  [/\bTrae\/([\d.]+)(?=.* Electron\/)/, 'Trae'],
  [/\bCode\/([\d.]+)(?=.* Electron\/)/, 'Visual Studio Code'],
  [/\bCursor\/([\d.]+)(?=.* Electron\/)/, 'Cursor'],
  [/\bSafari\/[\d.]+ Brave(?:\/([\d.]+))?/, 'Brave'],
];

/** A system's token, name and the group of its version. */
export const systemTokens: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bRoku\/DVP-([\d.]+)/, 'Roku'],
  [/\bVIDAA\/([\d.]+)/, 'VIDAA'],
  [/\bViziOS?(?:\/([\d.]+))?/i, 'ViziOS'],
  [/\bAndr0id(?: ([\d.]+))?/, 'Android'],
];
