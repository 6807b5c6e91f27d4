/** A cookie as browsers read it (RFC 6265bis §5.6). */
import { parseCookieDate } from './cookie-date.ts';

export type Cookie = ReturnType<typeof parseCookie>;

/** Browsers ignore an attribute whose value is longer. */
const maxAttributeBytes = 1024;

/** Also one that browsers reject; `nowMs` decides whether it has expired. */
export function parseCookie(setCookie: string, nowMs: number) {
  const [pair = '', ...rest] = setCookie.split(';');
  const attributes = new Map(rest.map(nameAndValue).filter(([, value]) => value.length <= maxAttributeBytes));
  const domain = attributes.get('domain')?.toLowerCase().replace(/^\./, '') ?? null;
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
  const value = pair.slice(pair.indexOf('=') + 1).trim();
  return {
    /** Empty if it is a value without a name. */
    name,
    value,
    /** A character for which browsers reject the whole line; in name and value, Chromium also rejects a tab. */
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
    hasControl: /[\u0000-\u0008\u000a-\u001f\u007f]/.test(setCookie) || /\t/.test(name + value),
    secure: attributes.has('secure'),
    httpOnly: attributes.has('httponly'),
    partitioned: attributes.has('partitioned'),
    /** In lower case; null if absent or unknown, which browsers treat the same. */
    sameSite: sameSiteOf(attributes.get('samesite') ?? ''),
    /** Lower case without leading dot; null if the cookie belongs only to the host. */
    domain: domain || null,
    /** As sent; null if absent. */
    path: attributes.get('path') ?? null,
    /** Octets of name and value together. */
    size: new TextEncoder().encode(pair.trim()).length - (pair.includes('=') ? 1 : 0),
    /** Whether it only deletes an earlier cookie. */
    isDeletion: isDeletion(attributes, nowMs),
    /** Whether a SameSite attribute has a value that no browser knows. */
    hasInvalidSameSite: /samesite/i.test(setCookie) && [pair, ...rest].some(isInvalidSameSite),
    /** Names in lower case, with values as sent. */
    attributes,
  };
}

/** The name is in lower case. */
export function nameAndValue(attribute: string): [name: string, value: string] {
  const [name = '', ...value] = attribute.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

/** Like the Observatory, reads every part, and only up to a second `=`. */
function isInvalidSameSite(part: string): boolean {
  const [name = '', value = ''] = part.split('=');
  return name.trim().toLowerCase() === 'samesite' && sameSiteOf(value.trim()) === null;
}

const sameSiteOf = (value: string) =>
  (['strict', 'lax', 'none'] as const).find((known) => known === value.toLowerCase()) ?? null;

export const isMaxAge = (value: string): boolean => /^-?\d+$/.test(value);

/** Max-Age takes precedence over Expires (RFC 6265 §5.3); values that are not valid do not count. */
function isDeletion(attributes: ReadonlyMap<string, string>, nowMs: number): boolean {
  const maxAge = attributes.get('max-age') ?? '';
  if (isMaxAge(maxAge)) return Number(maxAge) <= 0;
  const expires = parseCookieDate(attributes.get('expires') ?? '');
  return expires !== null && expires <= nowMs;
}
