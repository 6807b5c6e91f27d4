/** Strict-Transport-Security: whether browsers will come back by HTTPS alone (RFC 6797). */
import type { GradedResponse } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

export interface Hsts {
  /** Seconds. */
  readonly maxAge: number;
  readonly includeSubDomains: boolean;
  readonly preload: boolean;
}

/** 180 days: the Observatory calls them six months. */
const sixMonths = 15_552_000;

/** Null where a browser would not know how long to remember it, or where the field was sent twice. */
export function parseHsts(value: string): Hsts | null {
  if (value.includes(',')) return null;
  const directives = value.split(';').map((directive) => directive.trim().toLowerCase());
  const maxAge = directives.findLast((directive) => directive.startsWith('max-age='));
  if (maxAge === undefined) return null;
  // RFC 6797 §6.1 lets the number be quoted.
  const seconds = Number.parseInt(maxAge.slice('max-age='.length).replace(/^"/, ''), 10);
  if (Number.isNaN(seconds)) return null;
  const has = (name: string): boolean => directives.includes(name);
  return { maxAge: seconds, includeSubDomains: has('includesubdomains'), preload: has('preload') };
}

export function strictTransportSecurity({ finalUrl, headers }: GradedResponse): OutcomeOf<'strict-transport-security'> {
  // RFC 6797 §8.1: over plain HTTP the header is ignored.
  if (!finalUrl.startsWith('https:')) return 'hsts-not-implemented-no-https';
  const value = headers['strict-transport-security'];
  if (value === undefined) return 'hsts-not-implemented';
  const hsts = parseHsts(value);
  if (hsts === null) return 'hsts-header-invalid';
  return hsts.maxAge < sixMonths
    ? 'hsts-implemented-max-age-less-than-six-months'
    : 'hsts-implemented-max-age-at-least-six-months';
}
