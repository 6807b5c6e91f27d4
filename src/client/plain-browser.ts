/** The format of a common browser's User-Agent, in which no bot can be named. */

/** Products of browsers, engines and systems that common browsers combine. */
const products = [
  'AppleWebKit',
  'Chrome',
  'Safari',
  'Version',
  'Mobile',
  'Gecko',
  'Firefox',
  'Edg',
  'EdgA',
  'Edge',
  'EdgiOS',
  'OPR',
  'OPX',
  'OPT',
  'CriOS',
  'FxiOS',
  'GSA',
  'YaBrowser',
  'Yowser',
  'SamsungBrowser',
  'Vivaldi',
  'UCBrowser',
  'DuckDuckGo',
  'Ddg',
  'HuaweiBrowser',
  'HeyTapBrowser',
  'VivoBrowser',
  'MiuiBrowser',
  'Silk',
  'Brave',
  'Whale',
].join('|');

const detail = [
  'U',
  'en-US',
  'Win64',
  'WOW64',
  'x64',
  'ARM64',
  'arm_64',
  'Mobile',
  'Tablet',
  'wv',
  'Ubuntu',
  'Fedora',
  '(?:Ubuntu; )?Linux (?:x86_64|i686|aarch64|armv7l)',
  'CrOS (?:x86_64|aarch64|armv7l) [\\d.]+',
  '(?:Intel|PPC) Mac OS X [\\d._]+',
  'CPU (?:iPhone )?OS [\\d_]+ like Mac OS X',
  'rv:[\\d.]+',
].join('|');

const plain = new RegExp(
  `^Mozilla/5\\.0 \\((?:(?:Windows NT [\\d.]+|Macintosh|X11|iPhone|iPad|iPod touch|Android [\\d.]+)(?:; (?:${detail}))*` +
    // The model of a phone is free text; only known details follow it.
    `|Linux; (?:U; |arm_64; )?Android [\\d.]+(?:; [a-z]{2}[-_][A-Za-z]{2})?(?:; [\\w .,+/-]{1,60}(?:\\([\\w .+-]{1,30}\\))?)?(?:; (?:${detail}))*)\\)` +
    `(?: (?:(?:${products})(?:/[\\w.]{1,40})?|\\(KHTML, like Gecko\\)))+$`,
);

const namesOther = /bot|crawl|spider|http|compatible|headless|fetch|preview|scan|monitor/i;

export function isPlainBrowser(raw: string): boolean {
  return raw.length <= 400 && plain.test(raw) && (!raw.includes('Android') || !namesOther.test(raw));
}
