/** HTTPS: whether plain HTTP redirects to it immediately, and whether browsers then use only HTTPS (Strict-Transport-Security, RFC 6797). */
import { getDomain } from 'tldts';
import { editDistance } from '../../core/text.ts';
import { literalOf } from '../public-address.ts';
import { createNote, formatNames, mdnHeader, rfc } from './note.ts';
import type { OutcomeOf } from './outcomes.ts';
import type { GradedResponse, Hop, Note } from './schema.ts';

/** 180 days; the Observatory calls them six months. */
const sixMonths = 15_552_000;

/** `maxAge` is in seconds. Null if it is missing or not a number, or if the header was sent twice. */
function parseHsts(value: string) {
  if (value.includes(',')) return null;
  const directives = value.split(';').map((directive) => directive.trim().toLowerCase());
  const maxAge = directives.findLast((directive) => directive.startsWith('max-age='));
  if (maxAge === undefined) return null;
  // RFC 6797 §6.1 allows a quoted number.
  const seconds = Number.parseInt(maxAge.slice('max-age='.length).replace(/^"/, ''), 10);
  if (Number.isNaN(seconds)) return null;
  const has = (name: string): boolean => directives.includes(name);
  return { maxAge: seconds, includeSubDomains: has('includesubdomains'), preload: has('preload') };
}

/**
 * The values of a repeated header, which arrive joined by commas. A part without max-age belongs to the value before it: there, a
 * comma stands in place of a semicolon.
 */
export const hstsValuesOf = (value: string): readonly string[] => value.split(/,(?=[^,]*max-age)/i);

/** Whether the host is an IP address, for which browsers store no HSTS, whatever the header is (RFC 6797 §8.1.1). */
export const isAddress = ({ finalUrl }: GradedResponse): boolean =>
  literalOf(URL.parse(finalUrl)?.hostname ?? '') !== null;

/** The reason why browsers ignore the header; null if they honor it. */
export const hstsProblemOf = (response: GradedResponse): string | null =>
  isAddress(response)
    ? 'the host is an IP address'
    : syntaxProblemOf(response.headers['strict-transport-security'] ?? '');

/** Follows RFC 6797 §6.1 as Chromium implements it: of repeated headers only the first counts (§8.1), and other directives may have any form. */
function syntaxProblemOf(value: string): string | null {
  const [first = ''] = hstsValuesOf(value);
  const seen = new Set<string>();
  for (const directive of first.split(';').map((text) => text.trim())) {
    const [, name = '', separator = '', argument = ''] = /^([^\s=]*)(\s*=\s*|\s*)(.*)$/s.exec(directive) ?? [];
    const known = name.toLowerCase();
    if (known !== 'max-age' && known !== 'includesubdomains') continue;
    if (seen.has(known)) return `${known === 'max-age' ? 'max-age' : 'includeSubDomains'} occurs twice`;
    seen.add(known);
    if (known === 'includesubdomains') {
      if (separator.includes('=')) return 'includeSubDomains has a value';
      if (directive.length > name.length) return 'a semicolon is missing after includeSubDomains';
    } else if (!separator.includes('=') || argument === '') return 'max-age has no value';
    else if (/[\s,]/.test(argument)) return 'a semicolon is missing after max-age';
    else if (!/^(?:\d+|"\d+")$/.test(argument)) return 'max-age is not a whole number of seconds';
  }
  return seen.has('max-age') ? null : 'max-age is missing';
}

export function strictTransportSecurity({ finalUrl, headers }: GradedResponse): OutcomeOf<'strict-transport-security'> {
  // RFC 6797 §8.1: browsers ignore the header over plain HTTP.
  if (!finalUrl.startsWith('https:')) return 'hsts-not-implemented-no-https';
  const value = headers['strict-transport-security'];
  if (value === undefined) return 'hsts-not-implemented';
  const hsts = parseHsts(value);
  if (hsts === null) return 'hsts-header-invalid';
  return hsts.maxAge < sixMonths
    ? 'hsts-implemented-max-age-less-than-six-months'
    : 'hsts-implemented-max-age-at-least-six-months';
}

/** One year: the minimum of hstspreload.org. */
const preloadMaxAge = 31_536_000;
const preloading = `${mdnHeader('Strict-Transport-Security')}#preloading_strict_transport_security`;

export function* hstsNotes(response: GradedResponse): Generator<Note> {
  const { finalUrl, headers } = response;
  const value = headers['strict-transport-security'];
  if (value === undefined || !finalUrl.startsWith('https:')) return;
  const problem = hstsProblemOf(response);
  const hsts = parseHsts(value);
  const unknown = unknownDirectives(value);
  if (unknown.length > 0)
    yield createNote(
      { id: 'hsts-unknown-directive', level: 'warning', link: rfc(6797, '6.1') },
      `Browsers ignore these directives of Strict-Transport-Security: ${formatNames(unknown)}. Correct or remove them.`,
    );
  const [section, remedy] = isAddress(response)
    ? (['8.1.1', 'HSTS requires a host name.'] as const)
    : (['6.1', 'Send, for example: max-age=63072000; includeSubDomains'] as const);
  if (problem !== null)
    yield createNote(
      { id: 'hsts-ignored', level: 'warning', link: rfc(6797, section) },
      `Browsers ignore the Strict-Transport-Security header: ${problem}. ${remedy}`,
    );
  else if (hsts?.preload && hsts.includeSubDomains && hsts.maxAge >= preloadMaxAge)
    yield createNote(
      { id: 'hsts-preload-eligible', level: 'info', link: preloading },
      `HSTS meets the requirements of the browsers' preload lists (hstspreload.org)${uncheckedOf(finalUrl)}`,
    );
  else if (hsts?.preload)
    yield createNote(
      { id: 'hsts-preload-ineligible', level: 'warning', link: preloading },
      `HSTS contains preload, which requires includeSubDomains and a max-age of at least ${preloadMaxAge}.`,
    );
}

const hstsDirectives = ['max-age', 'includeSubDomains', 'preload'];

/** Directives that browsers ignore, with the one that is likely meant. */
function unknownDirectives(value: string): readonly string[] {
  const [first = ''] = hstsValuesOf(value);
  return first.split(';').flatMap((directive) => {
    const [name = ''] = directive.trim().split(/\s*=/);
    if (name === '' || hstsDirectives.some((known) => known.toLowerCase() === name.toLowerCase())) return [];
    const letters = name
      .toLowerCase()
      .replace(/[^a-z]/g, '')
      .slice(0, maxDirectiveLength);
    const meant = hstsDirectives.find(
      (known) => editDistance(letters, known.toLowerCase().replace('-', '')) <= maxTypos,
    );
    return [meant === undefined ? name : `${name} (did you mean ${meant}?)`];
  });
}

const maxDirectiveLength = 30;
const maxTypos = 2;

/** What was not checked about preloading. The website accepts only registrable domains, also those below a private suffix. */
function uncheckedOf(finalUrl: string): string {
  const host = hostnameOf(finalUrl)?.replace(/\.$/, '') ?? '';
  const domain = getDomain(host, { allowPrivateDomains: true });
  if (domain === host) return '; whether the site is on them was not checked.';
  return domain === null
    ? ', which accepts only registrable domains.'
    : `, which accepts only registrable domains: ${domain} must send it too. That was not checked.`;
}

/** Grades the redirect chain from its first plain-HTTP URL. */
export function redirection({ hops }: GradedResponse): OutcomeOf<'redirection'> {
  const start = hops.findIndex(isPlain);
  if (start === -1) return 'redirection-not-needed-no-http';
  const route = hops.slice(start).map(({ url }) => url);
  const [first = '', second] = route;
  if (second === undefined) return 'redirection-missing';
  if (!route.at(-1)?.startsWith('https:')) return 'redirection-not-to-https';
  // Only the requested host itself can set HSTS for itself, so its own HTTPS URL must come first.
  if (second.startsWith('http:')) return 'redirection-not-to-https-on-initial-redirection';
  return hostnameOf(first) === hostnameOf(second) ? 'redirection-to-https' : 'redirection-off-host-from-http';
}

/** Redirect target of the first plain-HTTP URL; null if there is none. */
export const redirectedTo = ({ hops }: GradedResponse): string | null => hops.find(isPlain)?.location ?? null;

const isPlain = ({ url }: Hop): boolean => url.startsWith('http:');
const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
