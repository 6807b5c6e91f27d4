/**
 * Rendering engines of browsers whose User-Agent names none. Sources: the vendors' announcements and documentation, and
 * https://en.wikipedia.org/wiki/Comparison_of_browser_engines for engines whose vendor's pages are gone. Last updated: 2026-11-23.
 */

/** Token of a browser, and its engine; the first group is the version of the engine. Null: it is not known. The first match decides. */
export const enginesByToken: readonly (readonly [token: RegExp, engine: string | null])[] = [
  // Opera was built on Presto from version 7 to 12 and names it since 9.5: https://dev.opera.com/blog/300-million-users-and-move-to-webkit/
  [/\bOpera (?:Mini|Mobi|Tablet)\b|\bOpera[ /](?:[7-9]|1[0-2])(?!\d)/, 'Presto'],
  [/\bOpera[ /](?:3\.[5-9]|[4-6](?!\d))/, 'Elektra'],
  [/\bOpera\b/, null],
  [/\b(?:MIB\/(?:BER)?|BER)\d/, null],
  // UC renders on its servers.
  [/\bUCWEB\b/, null],
  // A Gecko without `rv:`; a day is the date of a build, not a version.
  [/(?<!like )\bGecko\/(\d{1,3}\.\d[\d.]*)?/, 'Gecko'],
  // The slash is missing in browsers of Chinese feature phones.
  [/\bAppleWeb[Kk]it ?\/?(\d[\d.]*)/, 'WebKit'],
  // Internet Explorer names Trident since version 8. On a Mac it had other engines: Tasman since version 5.
  [/\bMSIE 5\.\d+\w?; (?:Mac_|Macintosh)|\bTasman\b/, 'Tasman'],
  [/\bMSIE \d\.\d+\w?; (?:Mac_|Macintosh)/, null],
  // https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/compatibility/ms537503(v=vs.85)
  [/\bMSIE ?(?:[4-9]|1[01])(?!\d)/, 'Trident'],
  [/\bMSIE\b/, null],
  // https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent/Firefox
  [/(?<!like )\b(?:Firefox|Firebird|Fennec|SeaMonkey|Camino|Galeon|K-Meleon|Iceweasel)\//, 'Gecko'],
  // Konqueror 5 states the engine that replaced KHTML: https://community.kde.org/Konqueror
  [/\bKonqueror\/[1-4](?!\d)/, 'KHTML'],
  // https://en.wikipedia.org/wiki/NetFront: phones, and consoles before they stated WebKit.
  [/\bNintendo 3DS\b/, 'WebKit'],
  [/\bNetFront\b|\bACS-NF\b|\bPSP \(PlayStation Portable\)|\bPLAYSTATION 3; \d/, 'NetFront'],
  // https://www.chromium.org/blink/: since Chrome 28.
  [/\bChrome\/((?:2[89]|[3-9]\d|[1-9]\d\d)\.[\d.]+)/, 'Blink'],
  // Every browser on iOS: https://developer.apple.com/app-store/review/guidelines/#2.5.6
  [/\b(?:Chrome|Safari)\/|\bCFNetwork\/|\b(?:iPhone|iPad|iPod)\b/, 'WebKit'],
];
