/** Reads untrusted JSON values: checks the type of every member. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { clip } from '../../core/text.ts';

/**
 * The text of a body, in the charset that its Content-Type states; null if that is not known. RFC 8259 §8.1 permits only UTF-8, without a byte
 * order mark, which TextDecoder removes.
 */
export function decodeText(body: Uint8Array, contentType = ''): string | null {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return null;
  }
}

/** More elements than a valid response has; the rest of a list is ignored. */
const maxItems = 256;

/** The first elements of an array; a single value as a list of one; null as an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length > maxItems ? value.slice(0, maxItems) : value;
  return value === null || value === undefined ? [] : [value];
}

export const objectsOf = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);

/** More characters than a value of a summary has, and more than an entry of its lists: domain names have 253. */
export const maxTextLength = 1000;
const maxEntryLength = 253;

/** More entries than a list of a summary has. */
export const maxListed = 50;

/** What the country of a block or an AS number means: its registrant may use it anywhere. */
export const countryMeaning = 'of the registration, not a location';

/**
 * Text without surrounding spaces, shortened if it is very long; a number as its digits; null for everything else, for empty text, and for a
 * number that JavaScript cannot represent.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : clip(text, maxTextLength);
}

/** The beginning of a list that was read from `source`, and the number of entries left out. */
export function boundList(texts: readonly string[], source: unknown): { list: string[]; omitted: number } {
  const list = texts.slice(0, maxListed).map((text) => clip(text, maxEntryLength));
  const unread = Array.isArray(source) ? Math.max(0, source.length - maxItems) : 0;
  return { list, omitted: texts.length - list.length + unread };
}

export const textsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .map(textOf)
    .filter((text) => text !== null);

/** A non-negative integer, also as digits in a string. */
export function integerOf(value: unknown): number | null {
  const text = textOf(value) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A boolean, also as a word; null for everything else. */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = textOf(value)?.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

/**
 * RFC 3339 in UTC, without a zero fraction. A date without time means midnight; a time without offset means UTC; a leap second is the first of
 * the next day, as in the clocks of computers.
 */
export function timeOf(value: unknown): string | null {
  const [, date, time = '00:00:00', offset = 'Z'] = timestamp.exec(textOf(value)?.toUpperCase() ?? '') ?? [];
  if (date === undefined || !isDate(date)) return null;
  const zone = offset.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const isLeapSecond = time.slice(6, 8) === '60';
  const ms = Date.parse(`${date}T${isLeapSecond ? time.replace(':60', ':59') : time}${zone}`);
  // Registries write the year 1 for a date that was never set.
  if (Number.isNaN(ms) || date.startsWith('0001-')) return null;
  const before = new Date(ms).toISOString();
  if (isLeapSecond && !before.includes('T23:59:59')) return null;
  const utc = new Date(isLeapSecond ? ms + 1000 : ms).toISOString().replace('.000Z', 'Z');
  // An offset can move the year beyond four digits.
  return /^\d/.test(utc) ? utc : null;
}

/** JavaScript's own parser mistakes February 30 for March 1. */
function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

const timestamp = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
