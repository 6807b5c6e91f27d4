/** Notes on a Content-Security-Policy: mistakes in its syntax, and weaknesses found by csp_evaluator. */
import { checkInvalidKeyword } from 'csp_evaluator/dist/checks/parser_checks.js';
import * as security from 'csp_evaluator/dist/checks/security_checks.js';
import { Csp, Directive, Version } from 'csp_evaluator/dist/csp.js';
import { type Finding, Severity } from 'csp_evaluator/dist/finding.js';
import { editDistance } from '../../../core/text.ts';
import { deprecatedDirectives } from '../data/unwanted-headers.ts';
import { createNote, formatNames, type Mistake, mdnHeader, noteMistakes } from '../note.ts';
import type { Note } from '../schema.ts';
import { enforcedPolicy, isInvalidNonceOrHash } from './enforced-policy.ts';

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

/** Each script source is compared with about 170 URLs (0.1 ms); policies with more sources are not examined. */
const maxSources = 250;
const maxSourceLength = 1024;

/** Keywords of newer drafts, which csp_evaluator reports as mistakes. */
const newerKeywords = new Set(["'report-sha256'", "'report-sha384'", "'report-sha512'", "'trusted-types-eval'"]);

/**
 * The checks of csp_evaluator with the id of their note and the beginning of its sentence; the directives and sources of the findings
 * follow. Its default list, but without Flash, which is obsolete, 'unsafe-eval', which has points, IP addresses, and our own syntax notes.
 */
const weaknesses: readonly (readonly [check: (policy: Csp) => Finding[], id: string, sentence: string])[] = [
  [security.checkScriptUnsafeInline, 'csp-inline-scripts', 'These sources allow injected inline scripts'],
  [
    security.checkPlainUrlSchemes,
    'csp-whole-scheme',
    'These sources let an attacker load scripts or set the base URL from any host',
  ],
  [security.checkWildcards, 'csp-wildcard', 'These sources allow every host'],
  [
    security.checkMissingDirectives,
    'csp-missing-directive',
    'The policy lacks these directives, which leaves them open to attackers',
  ],
  [
    security.checkScriptAllowlistBypass,
    'csp-bypass',
    'These hosts serve JSONP or AngularJS, which lets injected scripts bypass the policy',
  ],
  [security.checkNonceLength, 'csp-short-nonce', 'A nonce with fewer than 8 characters can be guessed'],
  [security.checkSrcHttp, 'csp-plain-http', 'These sources allow plain HTTP'],
  [checkInvalidKeyword, 'csp-unknown-keyword', 'Unknown keyword, or a keyword without single quotes'],
];

const guide = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP';

/** At most one note for each kind of finding. `isGraded` is false for an invalid policy. */
export function cspNotes(header: string, isGraded: boolean): Note[] {
  return [...syntaxNotes(header), ...(isGraded ? weaknessNotes(header) : [])];
}

function weaknessNotes(header: string): Note[] {
  const policy = enforcedPolicy(header);
  const sources = [...(policy?.values() ?? [])].flatMap((texts) => [...texts]);
  if (policy === null || sources.length > maxSources || sources.some(({ length }) => length > maxSourceLength)) {
    return notExamined(`it has more than ${maxSources} sources, or a source longer than ${maxSourceLength} characters`);
  }
  const directives = [...policy].map(([name, sources]): [string, string[]] => [name, [...sources]]);
  const effective = new Csp(Object.fromEntries(directives)).getEffectiveCsp(Version.CSP3);
  const asSent = new Map(
    directivesOf(header).flatMap(({ sources }) => sources.map((source) => [source.toLowerCase(), source])),
  );
  const quote = ({ directive, value }: Finding): string =>
    value === undefined ? directive : `${directive} ${asSent.get(value) ?? value}`;
  try {
    return weaknesses.flatMap(([check, id, sentence]) => {
      const terms = check(effective).filter(isCertain).map(quote);
      if (terms.length === 0) return [];
      return [createNote({ id, level: 'warning', link: guide }, `${sentence}: ${formatNames(terms)}.`)];
    });
  } catch {
    // csp_evaluator throws if a script source cannot be parsed as a URL.
    return notExamined('it contains a script source that is not a valid URL');
  }
}

/** Excludes findings that csp_evaluator only suspects, and directive names that it reports as keywords. */
const isCertain = ({ severity, value = '' }: Finding): boolean =>
  severity <= Severity.MEDIUM && !newerKeywords.has(value);

function notExamined(reason: string): Note[] {
  const message = `The policy was graded, but not searched for known weaknesses: ${reason}.`;
  return [createNote({ id: 'csp-not-examined', level: 'info', link: guide }, message)];
}
