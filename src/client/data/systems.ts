/** Systems, as User-Agents and Client Hints name them. */

export type System = 'Windows' | 'macOS' | 'Linux' | 'Android' | 'Chrome OS' | 'iOS';

/** Tokens of systems. The first match decides: Android strings also name Linux, iOS strings Mac OS X. */
export const systemTokens: readonly (readonly [token: RegExp, system: System | null])[] = [
  [/Windows Phone|Tizen|Web0S|KAIOS/, null],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Macintosh/, 'macOS'],
  [/Windows/, 'Windows'],
  [/\bCrOS\b/, 'Chrome OS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
];

/** Values of Sec-CH-UA-Platform, in lower case: https://wicg.github.io/ua-client-hints/#sec-ch-ua-platform */
export const hintedSystems: ReadonlyMap<string, System> = new Map([
  ['windows', 'Windows'],
  ['macos', 'macOS'],
  ['mac os x', 'macOS'],
  ['linux', 'Linux'],
  ['android', 'Android'],
  ['chrome os', 'Chrome OS'],
  ['chromium os', 'Chrome OS'],
  ['ios', 'iOS'],
]);
