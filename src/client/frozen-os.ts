/** OS versions that browsers freeze in the User-Agent: they state them on later systems too, so they are no fact about the machine. */
import { clientHints } from './client-hints.ts';
import { mergeHints } from './hinted-user-agent.ts';
import { parseUserAgent } from './user-agent.ts';

export interface FrozenOs {
  /** As the User-Agent states it. */
  readonly stated: string;
  /** What it may be in fact. */
  readonly meaning: string;
  /** Name and version from Client Hints; null if the request has no hint of the version. */
  readonly hinted: string | null;
}

/** https://www.chromium.org/updates/ua-reduction/, https://bugs.webkit.org/show_bug.cgi?id=216593 and https://bugzilla.mozilla.org/show_bug.cgi?id=1679929 */
const frozen: readonly (readonly [token: RegExp, stated: string, meaning: string])[] = [
  [/\bMac OS X 10[._]15(?:[._]7)?(?=[;)])/, 'macOS 10.15.7', 'macOS 10.15 or any later version'],
  [/\bWindows NT 10\.0\b/, 'Windows 10', 'Windows 10 or 11'],
  [/\bAndroid 10; K\b/, 'Android 10, model K', 'any version of Android on any device'],
  [/\bCrOS x86_64 14541\.0\.0\b/, 'Chrome OS 14541.0.0', 'any version of Chrome OS on any processor'],
];

/** Reads the headers of a request (lower-case names); null if its User-Agent states no frozen version. */
export function frozenOs(headers: Readonly<Record<string, string>>): FrozenOs | null {
  const raw = headers['user-agent'] ?? '';
  const [, stated, meaning] = frozen.find(([token]) => token.test(raw)) ?? [];
  if (stated === undefined || meaning === undefined) return null;
  const hints = clientHints(headers);
  const { os } = mergeHints(parseUserAgent(raw), hints);
  return { stated, meaning, hinted: hints.platformVersion === null ? null : `${os.name} ${os.version}` };
}
