/** The platform that a User-Agent or a Client Hint names. */

export type System = 'Windows' | 'macOS' | 'Linux' | 'Android' | 'Chrome OS' | 'iOS';

/** The first match decides: Android strings also name Linux, iOS strings Mac OS X. */
const systems: readonly (readonly [token: RegExp, system: System | null])[] = [
  [/Windows Phone|Tizen|Web0S|KAIOS/, null],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Macintosh/, 'macOS'],
  [/Windows/, 'Windows'],
  [/\bCrOS\b/, 'Chrome OS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
];

/** `text` is a User-Agent, or its first comment. */
export const systemOf = (text: string): System | null => systems.find(([token]) => token.test(text))?.[1] ?? null;

/** Names in lower case: https://wicg.github.io/ua-client-hints/#sec-ch-ua-platform */
const hintedSystems: ReadonlyMap<string, System> = new Map([
  ['windows', 'Windows'],
  ['macos', 'macOS'],
  ['mac os x', 'macOS'],
  ['linux', 'Linux'],
  ['android', 'Android'],
  ['chrome os', 'Chrome OS'],
  ['chromium os', 'Chrome OS'],
  ['ios', 'iOS'],
]);

/** `hint` is a value of `Sec-CH-UA-Platform` or of `navigator.userAgentData.platform`. */
export const systemOfHint = (hint: string): System | null => hintedSystems.get(hint.toLowerCase()) ?? null;
