/** Compares what a browser states about itself with the request it sent. Pure; the browser script runs it, so that nothing is sent. */

/** Values that the server observed of the request. */
export interface Requested {
  /** Time zone of the IP address. */
  readonly timezone: string | null;
  readonly acceptLanguage: string | null;
  readonly userAgent: string;
  readonly deviceType: string;
  readonly isDntSent: boolean;
  readonly isGpcSent: boolean;
}

/** Values that the browser states to scripts. */
export interface Stated {
  readonly timezone: string;
  /** In order of preference. */
  readonly languages: readonly string[];
  readonly userAgent: string;
  /** `navigator.userAgentData`; null if the browser has none. */
  readonly hints: BrowserHints | null;
  /** Whether the page is a secure context; Client Hints exist only there. */
  readonly isSecure: boolean;
  readonly touchPoints: number;
  /** Whether touch is the main input. */
  readonly isCoarse: boolean;
  readonly isDntOn: boolean;
  readonly isGpcOn: boolean;
}

export interface BrowserHints {
  readonly brands: readonly { readonly brand: string; readonly version: string }[];
  readonly platform: string;
  readonly mobile: boolean;
}

export interface Comparison {
  /** Null if there is nothing to compare. */
  readonly agrees: boolean | null;
  readonly sentence: string;
}

export type Subject = 'time zone' | 'languages' | 'browser' | 'device' | 'privacy signals';

/** One comparison for each subject, with the label that a person reads. */
export const subjects: readonly (readonly [Subject, label: string])[] = [
  ['time zone', 'Time zone'],
  ['languages', 'Languages'],
  ['browser', 'Browser'],
  ['device', 'Device'],
  ['privacy signals', 'Privacy signals'],
];

/** `nowMs`: the time at which to compare time zones. */
export function compare(requested: Requested, stated: Stated, nowMs: number): Readonly<Record<Subject, Comparison>> {
  return {
    'time zone': compareTimezone(requested, stated, nowMs),
    languages: compareLanguages(requested, stated),
    browser: compareBrowser(requested, stated),
    device: compareDevice(requested, stated),
    'privacy signals': comparePrivacy(requested, stated),
  };
}

const same = (sentence: string): Comparison => ({ agrees: true, sentence });
const differs = (sentence: string): Comparison => ({ agrees: false, sentence });
const incomparable = (sentence: string): Comparison => ({ agrees: null, sentence });

export function compareTimezone(
  { timezone: ofAddress }: Pick<Requested, 'timezone'>,
  { timezone }: Pick<Stated, 'timezone'>,
  nowMs: number,
): Comparison {
  const [offset, offsetOfAddress] = [offsetOf(timezone, nowMs), offsetOf(ofAddress ?? '', nowMs)];
  if (offset === null) return incomparable('Your browser reports no time zone.');
  if (ofAddress === null || offsetOfAddress === null)
    return incomparable(`Your browser reports ${timezone}; the time zone of your IP address is not known.`);
  if (timezone === ofAddress) return same(`Your browser reports ${timezone}, the time zone of your IP address.`);
  if (offset === offsetOfAddress)
    return same(`Your browser reports ${timezone}, which has the same time as ${ofAddress}, that of your IP address.`);
  if (/^(Etc\/)?(UTC|GMT|Greenwich)$|^Atlantic\/Reykjavik$/.test(timezone))
    return differs(
      `Your browser reports ${timezone}, your IP address is in ${ofAddress}. Usual reasons: a browser that hides its time zone, such as Tor Browser, a VPN or a proxy.`,
    );
  return differs(
    `Your browser reports ${timezone} (${offset}), your IP address is in ${ofAddress} (${offsetOfAddress}). Usual reasons: a VPN or proxy, or a device set to another time zone.`,
  );
}

/** Such as `UTC+1`; null for an unknown zone. */
function offsetOf(timeZone: string, nowMs: number): string | null {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(nowMs);
    const name = timeZone === '' ? undefined : parts.find(({ type }) => type === 'timeZoneName')?.value;
    return name?.replace('GMT', 'UTC') ?? null;
  } catch {
    return null;
  }
}

export function compareLanguages(
  { acceptLanguage }: Pick<Requested, 'acceptLanguage'>,
  { languages }: Pick<Stated, 'languages'>,
): Comparison {
  const [preferred] = languages;
  if (preferred === undefined) return incomparable('Your browser reports no languages.');
  const requested = (acceptLanguage ?? '').split(',').map((entry) => entry.replace(/;.*/, '').trim());
  const [first = ''] = requested;
  if (first === '')
    return differs(
      `Your browser prefers ${languageName(preferred)}, the request names no language. Usual reasons: an extension or proxy that removes headers.`,
    );
  if (primary(first) !== primary(preferred))
    return differs(
      `Your browser prefers ${languageName(preferred)}, the request ${languageName(first)}. Usual reasons: an extension or proxy that changes headers, or a spoofed browser.`,
    );
  const isCut = languages.some((language) => !requested.some((each) => primary(each) === primary(language)));
  return same(
    `Your browser and the request both prefer ${languageName(preferred)}.${
      isCut ? ' The request names fewer languages, as some browsers do to reveal less.' : ''
    }`,
  );
}

const primary = (language: string): string => language.toLowerCase().replace(/-.*/, '');

/** In English with its tag, such as `Norwegian Bokmål (nb-NO)`; only the tag if it has no name. */
function languageName(tag: string): string {
  try {
    const name = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(tag);
    return name === undefined ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}

const iosOrWebKitOnly = /\b(iPhone|iPad|iPod)\b/;

export function compareBrowser(
  { userAgent: sent }: Pick<Requested, 'userAgent'>,
  { userAgent, hints, isSecure }: Pick<Stated, 'userAgent' | 'hints' | 'isSecure'>,
): Comparison {
  if (userAgent !== sent)
    return differs(
      'Scripts get another User-Agent than the request had. Usual reasons: an extension or proxy that changes only one of them, or a spoofed browser.',
    );
  const major = iosOrWebKitOnly.test(sent) ? undefined : /Chrome\/(\d+)/.exec(sent)?.[1];
  if (hints === null) {
    if (major === undefined || Number(major) < 90)
      return same(
        'Scripts get the User-Agent that the request had. Only Chromium-based browsers have Client Hints too.',
      );
    if (!isSecure)
      return same('Scripts get the User-Agent that the request had. Client Hints exist only on HTTPS pages.');
    return differs(
      'The User-Agent names a Chromium browser, but it has no Client Hints. Usual reasons: an app that shows web pages, or a spoofed User-Agent.',
    );
  }
  if (major === undefined)
    return differs(
      'Your browser has the Client Hints of Chromium, but its User-Agent names another browser. Usual reason: a spoofed User-Agent.',
    );
  const version = hints.brands.find(({ brand }) => brand === 'Chromium')?.version;
  if (version !== undefined && version !== major)
    return differs(
      `Client Hints name Chromium ${version}, the User-Agent ${major}. Usual reason: a spoofed User-Agent.`,
    );
  const platform = platformOf(sent);
  // Chrome reports an empty platform if it is emulated without one.
  if (platform !== null && hints.platform !== '' && normalizePlatform(hints.platform) !== platform)
    return differs(
      `Client Hints name ${hints.platform}, the User-Agent ${platform}. Usual reasons: developer tools that emulate a device, or a spoofed User-Agent.`,
    );
  if (hints.mobile && !/Mobile/.test(sent))
    return differs(
      'Client Hints name a phone, the User-Agent does not. Usual reasons: developer tools that emulate a device, or a spoofed User-Agent.',
    );
  return same(`Client Hints and User-Agent both name Chromium ${major}${platform === null ? '' : ` on ${platform}`}.`);
}

const normalizePlatform = (platform: string): string => (/^Chrom(e|ium) OS$/.test(platform) ? 'Chrome OS' : platform);

function platformOf(userAgent: string): string | null {
  const platforms: readonly (readonly [RegExp, string])[] = [
    [/Windows NT/, 'Windows'],
    [/Macintosh/, 'macOS'],
    [/Android/, 'Android'],
    [/CrOS/, 'Chrome OS'],
    [/Linux/, 'Linux'],
  ];
  return platforms.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}

export function compareDevice(
  { deviceType, userAgent }: Pick<Requested, 'deviceType' | 'userAgent'>,
  { touchPoints, isCoarse }: Pick<Stated, 'touchPoints' | 'isCoarse'>,
): Comparison {
  const hasTouch = touchPoints > 0;
  if (deviceType === 'mobile' || deviceType === 'tablet') {
    const device = deviceType === 'mobile' ? 'phone' : 'tablet';
    return hasTouch
      ? same(`The User-Agent names a ${device}, and the screen has touch.`)
      : differs(
          `The User-Agent names a ${device}, but the screen has no touch. Usual reasons: developer tools that emulate a device, or a spoofed User-Agent.`,
        );
  }
  if (deviceType !== 'desktop') return incomparable('The User-Agent names neither a phone, a tablet nor a desktop.');
  if (hasTouch && /Macintosh/.test(userAgent))
    return differs(
      'The User-Agent names a Mac, but the screen has touch. Usual reason: an iPad, which requests desktop sites.',
    );
  if (hasTouch && isCoarse)
    return differs(
      'The User-Agent names a desktop, but touch is the main input. Usual reasons: a phone or tablet that requests desktop sites, or a desktop without a mouse.',
    );
  return same('The User-Agent names a desktop; screen and input fit.');
}

export function comparePrivacy(
  { isDntSent, isGpcSent }: Pick<Requested, 'isDntSent' | 'isGpcSent'>,
  { isDntOn, isGpcOn }: Pick<Stated, 'isDntOn' | 'isGpcOn'>,
): Comparison {
  const signals = [
    ['Do Not Track (DNT)', isDntOn, isDntSent],
    ['Global Privacy Control (GPC)', isGpcOn, isGpcSent],
  ] as const;
  const different = signals.find(([, isOn, isSent]) => isOn !== isSent);
  if (different !== undefined) {
    const [name, isOn] = different;
    return differs(
      `${name} is ${isOn ? 'on for scripts but missing in' : 'off for scripts but sent with'} the request. Usual reasons: an extension or proxy that changes headers.`,
    );
  }
  const on = signals.filter(([, isOn]) => isOn).map(([name]) => name);
  return same(
    on.length === 0
      ? 'Neither Do Not Track (DNT) nor Global Privacy Control (GPC) is on, as in most browsers.'
      : `Scripts and the request both have ${on.join(' and ')}: a wish not to be tracked.`,
  );
}
