/** Text for people: a resource as JSON or as flat text, untrusted text in sentences, ages, the distance of misspelled names. */

/** Controls, formats (bidi controls, zero width), lone surrogates, line separators. */
export const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Invisible characters that stand between words: a control character in a value could forge a line. */
const separators = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Visible ASCII stays as it is; to check for it costs less than to replace nothing. */
const plain = /^[ -~]*$/;

/**
 * Text from outside for terminals, text output and the log: control characters and line separators as spaces, and other invisible characters,
 * which could reverse or hide text, as escapes such as `\u{202e}`.
 */
export const replaceControls = (text: string): string =>
  plain.test(text)
    ? text
    : text.replace(invisible, (mark) => (separators.test(mark) ? ' ' : `\\u{${mark.codePointAt(0)?.toString(16)}}`));

/** Does what `replaceControls` does to text of several lines, whose newlines stay. */
export const replaceControlsOfLines = (text: string): string =>
  /^[ -~\n]*$/.test(text) ? text : text.split('\n').map(replaceControls).join('\n');

/** Escapes the invisible characters that JSON allows in strings; its own newlines stay. */
export function escapeControls(json: string): string {
  const escapeUnits = (mark: string): string =>
    mark === '\n'
      ? mark
      : mark
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join('');
  return json.replaceAll(invisible, escapeUnits);
}

/** One value as a line; null as an empty line, control characters as spaces. */
export const toLine = (value: unknown): string => (value === null ? '\n' : `${replaceControls(String(value))}\n`);

export const toJson = (resource: object): string => `${JSON.stringify(resource, null, 2)}\n`;

/**
 * One line for each leaf, in JSON order; keys are dotted paths. null is `key:`, or has no line; an empty object has none, and control
 * characters become spaces.
 */
export function flatten(resource: object, showsNull = true, prefix = ''): string {
  let lines = '';
  for (const [key, value] of Object.entries(resource)) {
    const path = prefix + key;
    if (value === null) lines += showsNull ? `${path}:\n` : '';
    else if (typeof value === 'object') lines += flatten(value, showsNull, `${path}.`);
    else lines += `${path}: ${replaceControls(String(value))}\n`;
  }
  return lines;
}

/** Input is repeated in sentences up to this length: people and models read them. */
export const maxEchoLength = 100;

/** Returns the beginning of an untrusted text, by default as much as fits into a sentence, and an ellipsis. */
export const clip = (text: string, maxLength = maxEchoLength): string =>
  text.length > maxLength ? `${beginningOf(text, maxLength)}…` : text;

/** The beginning of a text, one unit shorter if it would end in half of a character: that would look like one that the text does not have. */
export const beginningOf = (text: string, maxLength: number): string =>
  text.slice(0, (text.codePointAt(maxLength - 1) ?? 0) > 0xffff ? maxLength - 1 : maxLength);

/** A number with its noun, such as `1 day` or `2 days`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Levenshtein distance of two names. */
export function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1];
    for (let at = 0; at < other.length; at++) {
      const substituted = (previous[at] ?? 0) + (other[at] === character ? 0 : 1);
      current.push(Math.min(substituted, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

const dayMs = 86_400_000;
/** Created at the first use: it takes 14 ms, which most commands do not need. */
let relative: Intl.RelativeTimeFormat | undefined;

/** Days of the calendar (UTC), as the dates beside it are; whole months from two on, whole years from two on, rounded down. */
export function formatAge(ms: number, nowMs: number): string {
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const [from, to] = ms < nowMs ? [ms, nowMs] : [nowMs, ms];
  const sign = ms < nowMs ? -1 : 1;
  const months = wholeMonths(new Date(from), new Date(to));
  if (months >= 24) return relative.format(sign * Math.floor(months / 12), 'year');
  if (months >= 2) return relative.format(sign * months, 'month');
  return relative.format(sign * (Math.floor(to / dayMs) - Math.floor(from / dayMs)), 'day');
}

/** Calendar months, so that an age changes on its day, whatever the time is. */
function wholeMonths(from: Date, to: Date): number {
  const months = 12 * (to.getUTCFullYear() - from.getUTCFullYear()) + to.getUTCMonth() - from.getUTCMonth();
  return to.getUTCDate() < from.getUTCDate() ? months - 1 : months;
}

/** Each value once, without the missing ones; null if none is known. */
export const joinKnown = (values: readonly (string | null | undefined)[], separator = ', '): string | null =>
  [...new Set(values)].filter((value) => value).join(separator) || null;
