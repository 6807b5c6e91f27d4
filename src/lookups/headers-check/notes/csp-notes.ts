/** Notes on a Content-Security-Policy: its syntax, and weaknesses found by csp_evaluator. */
import { checkInvalidKeyword } from 'csp_evaluator/dist/checks/parser_checks.js';
import {
  checkMissingDirectives,
  checkNonceLength,
  checkPlainUrlSchemes,
  checkScriptAllowlistBypass,
  checkScriptUnsafeInline,
  checkSrcHttp,
  checkWildcards,
} from 'csp_evaluator/dist/checks/security_checks.js';
import { Csp, Version } from 'csp_evaluator/dist/csp.js';
import { type Finding, Severity } from 'csp_evaluator/dist/finding.js';
import type { Policy } from '../checks/content-security-policy.ts';
import type { Note } from '../schema.ts';
import { directivesOf, syntaxNotes } from './csp-syntax.ts';
import { createNote, formatNames } from './note.ts';

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
  [checkScriptUnsafeInline, 'csp-inline-scripts', 'These sources allow injected inline scripts'],
  [
    checkPlainUrlSchemes,
    'csp-whole-scheme',
    'These sources let an attacker load scripts or set the base URL from any host',
  ],
  [checkWildcards, 'csp-wildcard', 'These sources allow every host'],
  [
    checkMissingDirectives,
    'csp-missing-directive',
    'The policy lacks these directives, which leaves them open to attackers',
  ],
  [
    checkScriptAllowlistBypass,
    'csp-bypass',
    'These hosts serve JSONP or AngularJS, which lets injected scripts bypass the policy',
  ],
  [checkNonceLength, 'csp-short-nonce', 'A nonce with fewer than 8 characters can be guessed'],
  [checkSrcHttp, 'csp-plain-http', 'These sources allow plain HTTP'],
  [checkInvalidKeyword, 'csp-unknown-keyword', 'Unknown keyword, or a keyword without single quotes'],
];

const link = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP';

/** At most one note for each kind of finding. `header` is the policy as sent, `policy` the graded one. */
export function cspNotes(header: string, policy: Policy | null): Note[] {
  return [...syntaxNotes(header), ...(policy === null ? [] : weaknessNotes(header, policy))];
}

function weaknessNotes(header: string, policy: Policy): Note[] {
  const sources = [...policy.values()].flatMap((texts) => [...texts]);
  if (sources.length > maxSources || sources.some(({ length }) => length > maxSourceLength)) {
    return [
      notExaminedNote(`it has more than ${maxSources} sources, or a source longer than ${maxSourceLength} characters`),
    ];
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
      return terms.length === 0
        ? []
        : [createNote({ id, level: 'warning', link }, `${sentence}: ${formatNames(terms)}.`)];
    });
  } catch {
    // csp_evaluator throws if a script source cannot be parsed as a URL.
    return [notExaminedNote('it contains a script source that is not a valid URL')];
  }
}

/** Excludes findings that csp_evaluator only suspects, and directive names that it reports as keywords. */
const isCertain = ({ severity, value = '' }: Finding): boolean =>
  severity <= Severity.MEDIUM && !newerKeywords.has(value);

const notExaminedNote = (reason: string): Note =>
  createNote(
    { id: 'csp-not-examined', level: 'info', link },
    `The policy was graded, but not searched for known weaknesses: ${reason}.`,
  );
