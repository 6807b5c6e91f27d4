/** JSON from a stranger: its nesting is bounded, and no member is trusted to have the type that it should have. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** RDAP needs about 12 levels. */
const maxDepth = 32;

/** The value of a JSON text, or why there is none; whatever recurses over the value is safe from its depth. */
export function parseJson(text: string): { value: unknown } | { failure: 'malformed' | 'too_deep' } {
  if (depthOf(text) > maxDepth) return { failure: 'too_deep' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { failure: 'malformed' };
  }
}

/** Counts brackets outside strings; for text that is not JSON any number will do. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** More elements than an honest answer has; the rest of a list is not read. */
const maxItems = 256;

/** An array as it is, up to a bound; a value alone as the list of it; null as the empty list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length > maxItems ? value.slice(0, maxItems) : value;
  return value === null || value === undefined ? [] : [value];
}

export const objectsOf = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);

/** Text without space around it; a number as its digits; null for all else, and for nothing but space. */
export function textOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
}

export const textsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .map(textOf)
    .filter((text) => text !== null);

/** A whole number from zero, also as digits in a string. */
export function integerOf(value: unknown): number | null {
  const text = textOf(value) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A boolean, also as a word; null for all else. */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = textOf(value)?.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

/** RFC 3339 in UTC, without a fraction of zero. A date alone is its midnight, a time without offset is taken as UTC. */
export function timeOf(value: unknown): string | null {
  const [, date, time = '00:00:00', offset = 'Z'] = timestamp.exec(textOf(value)?.toUpperCase() ?? '') ?? [];
  const ms = Date.parse(
    `${date}T${time}${offset.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)}`,
  );
  // The year 1 stands for a date that was never set.
  if (Number.isNaN(ms) || date?.startsWith('0001-')) return null;
  const utc = new Date(ms).toISOString().replace('.000Z', 'Z');
  // An offset can carry the year out of four digits.
  return /^\d/.test(utc) ? utc : null;
}

const timestamp = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
