/** The `headers` argument of check_headers: a header block, an object of headers, or that object as JSON text. */
import * as z from 'zod';
import { isObject, parseJson } from '../core/json.ts';

/**
 * Accepts any value: `givenHeaders` explains in a sentence what a schema would only reject. The published schema names the form
 * that every client can express: converters drop or reject objects whose member names are not listed.
 */
export const GivenHeaders = z.unknown().meta({
  type: 'string',
  description:
    'Request headers to check: one "Name: value" per line, or an object or a list. If omitted: those of this call.',
});

const maxNames = 1000;
/** Lines of header text, and values of JSON: more than one for each name, because headers may repeat. */
const maxLines = 2000;
const maxNameLength = 256;
const maxTotalLength = 65_536;

/** RFC 9110 §5.1, and HTTP/2 pseudo-headers (`:scheme`) as developer tools copy them. */
const fieldName = /^:?[\w!#$%&'*+.^`|~-]+$/;

type Given =
  | { readonly headers: Record<string, string> }
  | { readonly error: string }
  /** They are those of a response, which these rules say nothing about. */
  | { readonly isResponse: true }
  /** A URL or a host name, the response of which should probably be graded. */
  | { readonly isUrl: true };

/** Fields that only responses have (RFC 9110, and the registry of field names, 2026-11), and fields that most requests have. */
const responseFields = [
  'access-control-allow-origin',
  'age',
  'content-security-policy',
  'etag',
  'last-modified',
  'location',
  'server',
  'set-cookie',
  'strict-transport-security',
  'vary',
  'x-content-type-options',
  'x-frame-options',
  'x-powered-by',
];
const requestFields = ['user-agent', 'accept', 'accept-language', 'accept-encoding', 'host', ':authority', 'cookie'];
/** Names for a URL or a host name, none of which is a request header; the last two are what precedes the colon of a URL. */
export const namesOfUrls = [
  ...['url', 'uri', 'href', 'site', 'website', 'page', 'target', 'endpoint', 'domain', 'hostname', 'address'],
  ...['http', 'https'],
];
const urlOrHost = /^\s*(?:https?:\/\/\S+|[a-z\d-]+(?:\.[a-z\d-]+)+(?:[:/]\S*)?)\s*$/i;
const statusLine = /^HTTP\/[\d.]+ \d{3}/;

/** Names that differ only in case are one header, joined as RFC 9110 §5.3 joins repeated lines. Null values are absent headers. */
export function givenHeaders(given: unknown): Given {
  if (typeof given === 'string' && urlOrHost.test(given)) return { isUrl: true };
  const found = readGiven(given);
  if (!('headers' in found) || requestFields.some((name) => name in found.headers)) return found;
  if (namesOfUrls.some((name) => name in found.headers)) return { isUrl: true };
  return responseFields.some((name) => name in found.headers) ? { isResponse: true } : found;
}

function readGiven(given: unknown): Given {
  if (typeof given === 'string') return headersInText(given);
  if (Array.isArray(given)) return headersInList(given);
  if (typeof given !== 'object' || given === null)
    return { error: 'Send headers as lines, such as "User-Agent: curl/8.17.0", or as an object of names and values.' };
  return headersInObject(given);
}

function headersInList(items: readonly unknown[]): Given {
  const lines: string[] = [];
  for (const [at, item] of items.entries()) {
    for (const line of linesOf(item)) {
      if (line === undefined)
        return { error: `Item ${at + 1} of headers is not a header; send "Name: value", or a pair of name and value.` };
      lines.push(line);
    }
  }
  // Without empty lines: only a text may have a body after its headers.
  return headersInText(lines.join('\n').replace(/[\r\n]\s*/g, '\n'));
}

/**
 * The lines of an item, undefined for a value that cannot be one. An item is a line, a pair of name and value, an object with both as in
 * HTTP archives (HAR 1.2) and collections of Postman (`key`), or an object of headers.
 */
function linesOf(item: unknown): readonly (string | undefined)[] {
  if (Array.isArray(item) && item.length > 1) return linesOfPair(item[0], item.slice(1));
  if (!isObject(item)) return [item ?? []].flat().map(scalar);
  const { name = item.key, value } = item;
  if (name !== undefined) return linesOfPair(name, [value]);
  return Object.entries(item).flatMap(([name, value]) => linesOfPair(name, [value]));
}

/** One for each value, none for null. */
function linesOfPair(name: unknown, values: readonly unknown[]): readonly (string | undefined)[] {
  const field = scalar(name);
  const present = values.filter((value) => value !== null).flat();
  return present.map((value) => {
    const text = scalar(value);
    return field === undefined || text === undefined ? undefined : `${field}: ${text}`;
  });
}

/** Some clients send the object as JSON text, and people paste a header block (RFC 9112 §5), perhaps with its request line and body. */
function headersInText(text: string): Given {
  if (text.length > maxTotalLength) return { error: `Send at most ${maxTotalLength} characters of headers.` };
  if (/^\s*[{[]/.test(text)) {
    const parsed = parseJson(text, maxLines);
    if ('value' in parsed)
      return Array.isArray(parsed.value) ? readGiven(parsed.value) : headersInObject(parsed.value as object);
    if (parsed.failure === 'too_many') return tooManyLines;
    return { error: 'The JSON in headers is not valid; send an object of names and values.' };
  }
  const whole = describeWhole(text);
  if (whole !== null) return { error: whole };
  const fields: [name: string, value: string][] = [];
  for (const [at, sent] of withLineBreaks(text)
    .split(/\r\n|\r|\n/, maxLines + 1)
    .entries()) {
    const line = sent.replace(/^[<>](?: |$)/, '').trim();
    // The body follows the first empty line after the headers (RFC 9112 §2.1).
    if (line === '' && fields.length > 0) break;
    if (at === 0 && statusLine.test(line)) return { isResponse: true };
    if (line === '' || (at === 0 && /^[A-Z]+ \S+ HTTP\/[\d.]+$/.test(line))) continue;
    if (at === maxLines) return tooManyLines;
    const colon = line.indexOf(':', 1);
    if (colon === -1) return { error: `${quoted(line)} is not a header line; write "Name: value".` };
    fields.push([line.slice(0, colon), line.slice(colon + 1)]);
  }
  const byName = [...Map.groupBy(fields, ([name]) => name)];
  return headersInObject(Object.fromEntries(byName.map(([name, lines]) => [name, lines.map(([, value]) => value)])));
}

/** Models also write the two characters `\\n` for a line break. */
const withLineBreaks = (text: string): string =>
  /[\r\n]/.test(text) ? text : text.replaceAll(/(?:\\r)?\\n(?=[\w-]+:|$)/g, '\n');

/** What the text is instead of headers; null if nothing is known. */
function describeWhole(text: string): string | null {
  if (/^\s*(?:\$ )?curl\s/.test(text))
    return 'This is a curl command; send the values of its -H options, one "Name: value" per line.';
  // A product and its version (RFC 9110 §10.1.5).
  if (/^\s*[\w.-]+\/\d/.test(text) && !statusLine.test(text.trim()))
    return 'This is a User-Agent; write "User-Agent: " before it.';
  return null;
}

const tooManyLines = { error: `Send at most ${maxLines} lines of headers.` };

function headersInObject(given: object): Given {
  const names = Object.keys(given);
  if (names.length > maxNames) return { error: `Send at most ${maxNames} headers, not ${names.length}.` };
  // Without a prototype, `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  let total = 0;
  for (const name of names) {
    if (name.length > maxNameLength || !fieldName.test(name))
      return { error: `${quoted(name)} is not a header name; use letters, digits and hyphens.` };
    const value = fieldValue(name.toLowerCase(), (given as Record<string, unknown>)[name]);
    if (value === undefined)
      return { error: `The value of ${quoted(name)} must be a string, a number or a list of them.` };
    if (value === null) continue;
    total += name.length + value.length;
    if (total > maxTotalLength) return { error: `Send at most ${maxTotalLength} characters of headers.` };
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}${separator(key)}${value}` : value;
  }
  return { headers };
}

/** Null if the header is absent, undefined if the value is invalid. */
function fieldValue(name: string, value: unknown): string | null | undefined {
  const lines = [value ?? []].flat().map(scalar);
  if (lines.length === 0) return null;
  return lines.every((line) => line !== undefined) ? lines.join(separator(name)) : undefined;
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** RFC 9113 §8.2.3: cookies are joined by a semicolon. */
const separator = (name: string) => (name === 'cookie' ? '; ' : ', ');

const quoted = (name: string) => JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
