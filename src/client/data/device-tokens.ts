/**
 * Words in a User-Agent that name the type of its device, and words in a model that do. Sources: the vendors' own pages on the
 * User-Agents of their browsers, and the browsers' source. Last updated: 2026-11-23.
 */
import type { DeviceType } from './device-vendors.ts';

type DeviceToken = readonly [token: RegExp, type: DeviceType, vendor?: string];

/** Amazon's browser states a computer in place of the tablet. */
export const silkOnDesktop = /^Mozilla\/5\.0 \((?:X11|Macintosh)\b.*\bSilk\/\d/;

/**
 * Browsers of iOS that request the desktop version of a site, as iPads do by default, state a Macintosh.
 * https://blog.chromium.org/2020/09/changing-chrome-on-ios-user-agent-for.html
 */
export const iosDesktopSite = /^Mozilla\/5\.0 \(Macintosh\b[^)]*\) AppleWebKit\/6.*\b(?:CriOS|FxiOS|EdgiOS|OP[TX])\/\d/;

/** Matched against the whole User-Agent; they precede the guess from `Mobile`. The first match decides. */
export const deviceTokens: readonly DeviceToken[] = [
  // Headsets. https://developers.meta.com/horizon/documentation/web/browser-specs/
  [/\bOculusBrowser\//, 'xr', 'Meta'],
  [/\bWolvic\/|\bMobile VR\b|\bVision ?OS\b/i, 'xr'],
  // Watches.
  [/\bApple Watch\b|\bWatch OS\b|\bwatchOS\b|\bWatch\d,\d/, 'wearable', 'Apple'],
  [/\bWear ?OS\b|\bSmart ?Watch\b/i, 'wearable'],
  [/\bChromebook\b|\bCrOS\b/, 'desktop'],
  [/\bCFNetwork\/.*\((?:x86_64|i386|MacBook|iMac|Mac)|^Safari\/[\d.]+ CFNetwork\//, 'desktop', 'Apple'],
  // Cars.
  [/\bPolestar\b/i, 'embedded', 'Polestar'],
  [/\bBMW\b/, 'embedded', 'BMW'],
  [/\b(?:Mercedes-Benz|MBUX)\b/, 'embedded', 'Mercedes-Benz'],
  [/\bVolvo (?:Cars?\b|[A-Z]{1,2}\d\d\b)/i, 'embedded', 'Volvo'],
  [/\bRenault\b/i, 'embedded', 'Renault'],
  [/\bQtCarBrowser\b/, 'embedded', 'Tesla'],
  [/\b(?:Android Automotive|AAOS|CarBrowser|Vivaldi\/[\d.]+ Automotive|Automotive|IVI|Car Play)\b/i, 'embedded'],
  // Smart displays and appliances.
  [/\bFamilyHub\b|\bFamily Hub\b/, 'embedded', 'Samsung'],
  [/\bCrKey\b.*\bDeviceType\/Smart(?:Speaker|Display)/, 'embedded', 'Google'],
  // E-readers, and tablets and phones of Palm's webOS.
  [/\bKobo\b/, 'tablet', 'Kobo'],
  [/\bPocketBook\b/, 'tablet', 'PocketBook'],
  [/\bKindle\/[\d.]/, 'tablet', 'Amazon'],
  [/\b(?:Pre|Pixi|Veer)\/\d/, 'mobile', 'Palm'],
  // Silk asks for a site's desktop version: https://docs.aws.amazon.com/silk/latest/developerguide/user-agent.html
  [silkOnDesktop, 'tablet', 'Amazon'],
  [iosDesktopSite, 'unknown', 'Apple'],
  // Handhelds. https://learn.microsoft.com/previous-versions/windows/embedded/ms926466(v=msdn.10)
  [/\bWindows ?CE\b|\bFennec\/|\bPalm(?:OS|Source)\b|\bMAUI[ _]WAP[ _]Browser\b/i, 'mobile'],
  // Consoles.
  [/\bSteam Deck\b|\bSteam(?:OS| Gamepad)\b/, 'console', 'Valve'],
  // Televisions and boxes: platforms of one vendor, then standards, then words.
  [/\bWeb0S\b|\bweb ?OS[ .]?TV\b|\bNetCast\b|\bLG Browser\b|\bLGE; /i, 'smarttv', 'LG'],
  [
    /\bMaple(?:[;)/]|$| \d)|\bTizen\b.*\bTV\b|\bSMART-TV;|\bSmartHub\b|\bSmartTV[+ ;].*(?:Samsung|Maple)/,
    'smarttv',
    'Samsung',
  ],
  [/\bViera\b|\bVIERA\b/, 'smarttv', 'Panasonic'],
  [/\bVIDAA\b|\bHi(?:SmartTV|sense ?TV)|\bHisense\b.*\bTV\b/i, 'smarttv', 'Hisense'],
  [/\bViziOS\b|\bVIZIO\b|\bSmartCast\b/i, 'smarttv', 'VIZIO'],
  [
    /\b(?:HbbTV|CE-HTML|Smart-?TV|Smart TV|InettvBrowser|DTVNetBrowser|NetRange|Vewd|OPR\/[\d.]+ OMI|Opera TV|TV Bro|TVBro|Freeview|BBCiPlayer|GoogleTV|Google TV|Android ?TV|ATV|TSBNetTV|Internet ?TV|Espial|Ekioh|Boxee|Kodi|XBMC|POV_TV|DLNADOC|OTT|IPTV|STB|Set-?Top ?Box|TV ?Box|TV ?Stick|Large Screen|Linux ?TV|NetBox|WebTV|EkoTV|SkyQ|FreeboxOS|VStar|SRAF)\b/i,
    'smarttv',
  ],
  [/[ ;/(]TV(?: Safari|\/| ?\d+K?|;|\))/, 'smarttv'],
];

/** Matched against the model. A Coolpad and a Padfone are phones; DTV is a television receiver in a phone. */
export const modelTokens: readonly DeviceToken[] = [
  [/watch(?![a-z])/i, 'wearable'],
  [/Chrome ?book|Chrome OS Device/i, 'desktop'],
  [/(?:^|[ _])A?TV(?:$|[ _\d])|[A-CE-Za-z]TV\+?(?:$|[ _-])|(?:Android|Smart|Google|Lenovo|Hisense)TV/i, 'smarttv'],
  [
    /^AI PON[TN]\b|\b(?:stb|iptv|ott|tv ?box|tv ?stick|set ?top|streaming (?:box|stick))\b|\b(?:4K|UHD|QLED|OLED)\b|^[XH]96\b/i,
    'smarttv',
  ],
  [
    /(?:^|[^a-z])(?:tab|tablet)(?![a-z])|(?<!cool|tech)pad(?![a-z])|\w+tab\b|(?:^|[^a-z])(?:slate|xoom|ebook|e-reader)(?![a-z])/i,
    'tablet',
  ],
];

/** By the form that OpenHarmony states first in its comment. */
export const typeOfOpenHarmony: Readonly<Record<string, DeviceType>> = {
  Phone: 'mobile',
  Tablet: 'tablet',
  PC: 'desktop',
  '2in1': 'desktop',
  TV: 'smarttv',
  Wearable: 'wearable',
  Car: 'embedded',
};
