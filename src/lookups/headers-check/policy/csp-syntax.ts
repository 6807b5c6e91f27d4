/** The directives of a Content-Security-Policy as sent, and notes on mistakes in its syntax. */
import { Directive } from 'csp_evaluator/dist/csp.js';
import { editDistance } from '../../../core/text.ts';
import { deprecatedDirectives } from '../data/unwanted-headers.ts';
import { type Mistake, mdnHeader, noteMistakes } from '../note.ts';
import type { Note } from '../schema.ts';
import { isNonceOrHash } from './content-security-policy.ts';
import { isInvalidNonceOrHash } from './enforced-policy.ts';

export type PolicyDirective = ReturnType<typeof directivesOf>[number];

/** More policies and directives than a valid header has; the rest is ignored. */
const maxDirectives = 200;

/** The directives of all policies of a header: names in lower case, sources as sent, because nonces and paths are case-sensitive. */
export function directivesOf(header: string) {
  return header.split(/[;,]/, maxDirectives).flatMap((text) => {
    const [name = '', ...sources] = text.trim().split(/\s+/);
    return name === '' ? [] : [{ name: name.toLowerCase(), sources }];
  });
}

/** The policies of a header as sent, without those that are empty. Of equal directives, browsers honor the first (CSP3 §2.2.1). */
export const policiesAsSent = (header: string): (readonly PolicyDirective[])[] =>
  header
    .split(',', maxDirectives)
    .map(directivesOf)
    .map((all) => all.filter(({ name }, at) => all.findIndex((each) => each.name === name) === at))
    .filter(({ length }) => length > 0);

/**
 * CSP Level 3, and the specifications that extend it: those that csp_evaluator knows, and one that it lacks.
 * https://www.w3.org/TR/CSP3/#csp-directives Last updated: 2026-11-21
 */
const known: readonly string[] = [...Object.values<string>(Directive), 'fenced-frame-src']
  .filter((name) => !deprecatedDirectives.includes(name))
  .sort();

const isDirective = (name: string): boolean => known.includes(name) || deprecatedDirectives.includes(name);

const reference = mdnHeader('Content-Security-Policy');

/** Known directives that differ from one of the names in at most two letters, as a question; or nothing. */
function correctionOf(names: string): string {
  const likely = known.filter((each) => names.split(/[ ,]+/).some((name) => isMisspelled(name, each)));
  return likely.length === 0 ? '' : `Did you mean ${likely.join(', ')}? `;
}

const isMisspelled = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 && editDistance(name, known) <= 2;

const listsSources = (name: string): boolean =>
  /-src(?:-elem|-attr)?$/.test(name) || ['base-uri', 'form-action', 'frame-ancestors'].includes(name);

/** CSP Level 3, with the keywords of newer drafts. */
const keywords = [
  ...['self', 'none', 'unsafe-inline', 'unsafe-eval', 'strict-dynamic', 'unsafe-hashes', 'report-sample'],
  ...['wasm-unsafe-eval', 'unsafe-allow-redirects', 'inline-speculation-rules', 'trusted-types-eval'],
  ...['report-sha256', 'report-sha384', 'report-sha512'],
];

function isUnknownKeyword(source: string): boolean {
  const text = source.toLowerCase();
  if (!text.startsWith("'")) return keywords.includes(text) || /^(?:nonce|sha(?:256|384|512))-./.test(text);
  return !isNonceOrHash(text) && !keywords.some((keyword) => text === `'${keyword}'`);
}

/** Schemes that are likely meant where a host of this name is unlikely. */
const schemeNames = ['data', 'blob', 'https', 'http', 'filesystem', 'mediastream', 'wss', 'ws'];

/** A source that is no keyword and matches nothing: not a host-source (CSP3 §2.3.1), or one with a `*` in its path. */
function isInvalidSource(source: string): boolean {
  if (
    /^['‘’‚‛“”„‟`´]/.test(source) ||
    isUnknownKeyword(source) ||
    /^[a-z][a-z\d+.-]*:$/i.test(source) ||
    isDirective(source.toLowerCase())
  )
    return false;
  if (schemeNames.includes(source.toLowerCase())) return true;
  const host =
    /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:\*|(?:\*\.)?[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?)(?::(?:\d+|\*))?(?:\/[^?#*]*)?$/i;
  return source !== '*' && !host.test(source);
}

const mistakes: readonly Mistake<PolicyDirective>[] = [
  [
    { id: 'csp-missing-semicolon', level: 'warning', link: reference },
    ({ name, sources }) =>
      sources
        .filter((source) => isDirective(source.toLowerCase()))
        .map((source) => `${source.toLowerCase()} is read as a source of ${name}`),
    (found) => `A semicolon is missing: ${found}. Add one before it; until then, browsers do not apply it.`,
  ],
  [
    { id: 'csp-curly-quotes', level: 'warning', link: reference },
    ({ name, sources }) => sources.filter((source) => /[‘’‚‛“”„‟`´]/.test(source)).map((source) => `${name} ${source}`),
    (found) =>
      `Browsers ignore keywords with curly or other quotation marks: ${found}. Use straight single quotes (').`,
  ],
  [
    { id: 'csp-invalid-nonce', level: 'warning', link: reference },
    ({ name, sources }) => sources.filter(isInvalidNonceOrHash).map((source) => `${name} ${source}`),
    (found) => `Browsers ignore nonces and hashes that are not base64: ${found}. Correct them.`,
  ],
  [
    { id: 'csp-none-ignored', level: 'warning', link: reference },
    ({ name, sources }) =>
      // With a missing semicolon, the other sources are a directive.
      sources.some((source) => source.toLowerCase() === "'none'") &&
      sources.length > 1 &&
      !sources.some((source) => isDirective(source.toLowerCase()))
        ? [`${name} ${sources.join(' ')}`]
        : [],
    (found) => `Browsers ignore 'none' next to other sources: ${found}. Remove 'none' or the other sources.`,
  ],
  [
    { id: 'csp-unknown-keyword', level: 'warning', link: reference },
    ({ name, sources }) =>
      listsSources(name) ? sources.filter(isUnknownKeyword).map((source) => `${name} ${source}`) : [],
    (found) => `Unknown keyword, or a keyword without single quotes: ${found}.`,
  ],
  [
    { id: 'csp-trusted-types', level: 'warning', link: reference },
    ({ name, sources }) =>
      name === 'require-trusted-types-for'
        ? sources.filter((source) => source !== "'script'").map((source) => `${name} ${source}`)
        : [],
    (found) => `Browsers ignore these values: ${found}. The only one is 'script', with its quotes.`,
  ],
  [
    { id: 'csp-invalid-source', level: 'warning', link: reference },
    ({ name, sources }) =>
      listsSources(name) ? sources.filter(isInvalidSource).map((source) => `${name} ${source}`) : [],
    (found) =>
      `Browsers ignore these sources, or they match nothing: ${found}. Write a scheme with a colon (data:), or a host with * only in place of its first label or the port, and without a query.`,
  ],
  [
    { id: 'csp-report-to-url', level: 'warning', link: reference },
    ({ name, sources }) => (name === 'report-to' ? sources.filter((source) => /[:/]/.test(source)) : []),
    (found) =>
      `report-to contains a URL: ${found}. Name an endpoint of the header Reporting-Endpoints, or use report-uri.`,
  ],
  [
    { id: 'csp-unknown-directive', level: 'warning', link: reference },
    ({ name }) => (isDirective(name) ? [] : [name]),
    (found) => `Browsers ignore unknown directives: ${found}. ${correctionOf(found)}Correct or remove them.`,
  ],
  [
    { id: 'csp-deprecated-directive', level: 'info', link: reference },
    ({ name }) => (deprecatedDirectives.includes(name) ? [name] : []),
    (found) => `Browsers no longer honor these directives: ${found}. Remove them.`,
  ],
];

/** At most one note for each kind of mistake. */
export const syntaxNotes = (header: string): Note[] => noteMistakes(mistakes, directivesOf(header));
