/** The `headers` that a caller of check_headers gives: any JSON object turned into lower-case names and string values, or a sentence. */
import * as z from 'zod';

/** Left open on purpose: `givenHeaders` says in a sentence what a schema would only refuse. */
export const GivenHeaders = z
  .record(z.string(), z.unknown())
  .describe(
    'Request headers to check as { name: value }. Names in any case; a value is a string, a number or a list of them. Left out: the headers of this call',
  );

const maxNames = 1000;
const maxNameLength = 256;
const maxTotalLength = 65_536;

/** RFC 9110 §5.1, and HTTP/2 pseudo-headers (`:scheme`) as developer tools copy them. */
const fieldName = /^:?[\w!#$%&'*+.^`|~-]+$/;

/** Names that differ only in case are one header, joined as RFC 9110 §5.3 joins repeated lines. Null values are absent headers. */
export function givenHeaders(given: unknown): { headers: Record<string, string> } | { error: string } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { error: 'Give headers as an object of names and values, like {"User-Agent": "curl/8.17.0"}.' };
  }
  const names = Object.keys(given);
  if (names.length > maxNames) return { error: `Give at most ${maxNames} headers; there are ${names.length}.` };
  // Without a prototype, `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  let total = 0;
  for (const name of names) {
    if (name.length > maxNameLength || !fieldName.test(name)) {
      return { error: `${quoted(name)} is not a header name; use letters, digits and hyphens.` };
    }
    const value = fieldValue(name.toLowerCase(), (given as Record<string, unknown>)[name]);
    if (value === undefined)
      return { error: `The value of ${quoted(name)} must be a string, a number or a list of them.` };
    if (value === null) continue;
    total += name.length + value.length;
    if (total > maxTotalLength) return { error: `Give at most ${maxTotalLength} characters of headers.` };
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}${separator(key)}${value}` : value;
  }
  return { headers };
}

/** Null when the header is absent, undefined when this is no header value. */
function fieldValue(name: string, value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return scalar(value);
  const lines = value.map(scalar);
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
