/** Compares what a browser states about itself with the request it sent. Pure; the browser script runs it, so that nothing is sent. */
import { systemOf, systemOfHint } from '../../../client/system.ts';
import type { Info } from '../../../resources/info.ts';

/** Values that the server observed of the request. The time zone is that of the IP address. */
export const requestedOf = ({ location, userAgent, headers }: Info) => ({
  timezone: location.timezone,
  isOnlyCountryKnown: location.city === null && location.region === null,
  acceptLanguage: headers['accept-language'] ?? null,
  userAgent: userAgent.raw,
  deviceType: userAgent.device.type,
  isDntSent: headers.dnt === '1',
  isGpcSent: headers['sec-gpc'] === '1',
});
export type Requested = Readonly<ReturnType<typeof requestedOf>>;

/** Values that the browser states to scripts. */
export interface Stated {
  readonly navigator: {
    readonly userAgent: string;
    /** In order of preference. */
    readonly languages: readonly string[];
    readonly maxTouchPoints: number;
    readonly doNotTrack: string | null;
    // The following exist only in some browsers.
    readonly globalPrivacyControl?: boolean;
    readonly userAgentData?: {
      readonly brands: readonly { readonly brand: string; readonly version: string }[];
      readonly platform: string;
      readonly mobile: boolean;
    };
  };
  readonly timezone: string;
  readonly nowMs: number;
  /** Whether the page is a secure context; Client Hints exist only there. */
  readonly isSecure: boolean;
  /** Whether touch is the main input. */
  readonly isCoarse: boolean;
}

export interface Comparison {
  readonly verdict: 'agrees' | 'differs' | 'not compared' | 'off';
  readonly sentence: string;
}

/** `difference`: sentence of the first screen if browser and request differ. */
export const subjects = [
  {
    label: 'Time zone',
    difference: "Your browser's time zone differs from your IP address's",
    compare: compareTimezone,
  },
  {
    label: 'Languages',
    difference: 'Your browser prefers another language than its request',
    compare: compareLanguages,
  },
  { label: 'Browser', difference: 'Your browser differs from its User-Agent', compare: compareBrowser },
  { label: 'Device', difference: 'Your device differs from the one in the User-Agent', compare: compareDevice },
  {
    label: 'Privacy signals',
    difference: "Your browser's privacy signals differ from its request's",
    compare: comparePrivacy,
  },
];

const agrees = (sentence: string): Comparison => ({ verdict: 'agrees', sentence });
const notCompared = (sentence: string): Comparison => ({ verdict: 'not compared', sentence });

function differs(fact: string, ...reasons: readonly [string, ...string[]]): Comparison {
  const words = reasons.length === 1 ? 'Usual reason' : 'Usual reasons';
  return { verdict: 'differs', sentence: `${fact} ${words}: ${reasons.join(', or ')}.` };
}

const emulation = 'developer tools that emulate a device';
const changedHeaders = 'an extension or proxy that changes headers';
const spoofing = 'a spoofed User-Agent';
const webView = 'an app that shows web pages';

export function compareTimezone(requested: Requested, { timezone, nowMs }: Stated): Comparison {
  const { timezone: ofAddress, isOnlyCountryKnown } = requested;
  const offset = offsetOf(timezone, nowMs);
  const offsetOfAddress = offsetOf(ofAddress ?? '', nowMs);
  if (offset === null) return notCompared('Your browser reports no time zone.');
  const fact = `Your browser reports ${timezone}`;
  if (offsetOfAddress === null) return notCompared(`${fact}; the time zone of your IP address is not known.`);
  if (timezone === ofAddress) return agrees(`${fact}, the time zone of your IP address.`);
  if (offset === offsetOfAddress)
    return agrees(`${fact}, which has the same time as ${ofAddress}, that of your IP address.`);
  // The zone may be that of the middle of a country with several.
  if (isOnlyCountryKnown)
    return notCompared(`${fact}; only the country of your IP address is known, so its time zone is not certain.`);
  const isHidden = /^(Etc\/)?(UTC|GMT|Greenwich)$|^Atlantic\/Reykjavik$/.test(timezone);
  return differs(
    `${fact} (${offset}), your IP address is in ${ofAddress} (${offsetOfAddress}).`,
    'a VPN or proxy',
    isHidden ? 'a browser that hides its time zone, such as Tor Browser' : 'a device set to another time zone',
  );
}

/** Such as `UTC+1`; null for an unknown zone. */
function offsetOf(timeZone: string, nowMs: number): string | null {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(nowMs);
    const name = timeZone === '' ? undefined : parts.find(({ type }) => type === 'timeZoneName')?.value;
    return name?.replace(/^GMT$/, 'GMT+0').replace('GMT', 'UTC') ?? null;
  } catch {
    return null;
  }
}

export function compareLanguages({ acceptLanguage }: Requested, { navigator: { languages } }: Stated): Comparison {
  const [preferred] = languages;
  if (preferred === undefined) return notCompared('Your browser reports no languages.');
  const requested = (acceptLanguage ?? '').split(',').map((entry) => entry.replace(/;.*/, '').trim());
  const [first = ''] = requested;
  const name = languageName(preferred);
  const fact = `Your browser prefers ${name}, the request ${first === '' ? 'names no language' : languageName(first)}.`;
  if (first === '') return differs(fact, 'an extension or proxy that removes headers');
  if (primary(first) !== primary(preferred)) return differs(fact, changedHeaders, 'a spoofed browser');
  const isCut = languages.some((language) => !requested.some((each) => primary(each) === primary(language)));
  const fewer = ' The request names fewer languages, as some browsers do to reveal less.';
  return agrees(`Your browser and the request both prefer ${name}.${isCut ? fewer : ''}`);
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

export function compareBrowser({ userAgent: sent }: Requested, { navigator, isSecure }: Stated): Comparison {
  const { userAgent, userAgentData: hints } = navigator;
  if (userAgent !== sent)
    return differs('Scripts get another User-Agent than the request had.', changedHeaders, 'a spoofed browser');
  const major = iosOrWebKitOnly.test(sent) ? undefined : /Chrome\/(\d+)/.exec(sent)?.[1];
  if (hints === undefined) {
    const isChromium = Number(major) >= 90;
    if (isChromium && isSecure)
      return differs(
        'The User-Agent names Chromium, which has Client Hints; this browser has none.',
        webView,
        spoofing,
      );
    const why = isChromium ? 'exist only on HTTPS pages' : 'are a feature of Chromium-based browsers only';
    return agrees(`Scripts get the User-Agent that the request had. Client Hints ${why}.`);
  }
  if (major === undefined) return differs('Client Hints name Chromium, the User-Agent another browser.', spoofing);
  const version = hints.brands.find(({ brand }) => brand === 'Chromium')?.version ?? major;
  if (version !== major) return differs(`Client Hints name Chromium ${version}, the User-Agent ${major}.`, spoofing);
  const platform = systemOf(sent);
  // Chrome reports an empty platform if it is emulated without one.
  if (platform !== null && hints.platform !== '' && systemOfHint(hints.platform) !== platform)
    return differs(`Client Hints name ${hints.platform}, the User-Agent ${platform}.`, emulation, spoofing);
  if (hints.mobile && !/Mobile/.test(sent))
    return differs('Client Hints name a phone, the User-Agent does not.', emulation, spoofing);
  const where = platform === null ? '' : ` on ${platform}`;
  return agrees(`Client Hints and User-Agent both name Chromium ${major}${where}.`);
}

export function compareDevice({ deviceType, userAgent }: Requested, { navigator, isCoarse }: Stated): Comparison {
  const hasTouch = navigator.maxTouchPoints > 0;
  if (deviceType === 'mobile' || deviceType === 'tablet') {
    const names = `The User-Agent names a ${deviceType === 'mobile' ? 'phone' : 'tablet'}`;
    if (hasTouch) return agrees(`${names}, and the screen has touch.`);
    return differs(`${names}, but the screen has no touch.`, emulation, spoofing);
  }
  if (deviceType !== 'desktop') return notCompared('The User-Agent names neither a phone, a tablet nor a desktop.');
  if (hasTouch && /Macintosh/.test(userAgent))
    return differs('The User-Agent names a Mac, but the screen has touch.', 'an iPad, which requests desktop sites');
  if (hasTouch && isCoarse)
    return differs(
      'The User-Agent names a desktop, but touch is the main input.',
      'a phone or tablet that requests desktop sites',
      'a desktop without a mouse',
    );
  return agrees('The User-Agent names a desktop; screen and input fit.');
}

export function comparePrivacy({ isDntSent, isGpcSent }: Requested, { navigator }: Stated): Comparison {
  const { doNotTrack, globalPrivacyControl = false } = navigator;
  const signals = [
    { name: 'Do Not Track', isOn: doNotTrack === '1', isSent: isDntSent },
    { name: 'Global Privacy Control', isOn: globalPrivacyControl, isSent: isGpcSent },
  ];
  for (const { name, isOn, isSent } of signals) {
    if (isOn && !isSent) return differs(`${name} is on for scripts but missing in the request.`, changedHeaders);
    if (isSent && !isOn) return differs(`${name} is off for scripts but sent with the request.`, changedHeaders);
  }
  const on = signals.filter(({ isOn }) => isOn).map(({ name }) => name);
  if (on.length > 0) return agrees(`Scripts and the request both have ${on.join(' and ')}: a wish not to be tracked.`);
  const sentence = 'Do Not Track and Global Privacy Control are off (the default in most browsers).';
  return { verdict: 'off', sentence };
}
