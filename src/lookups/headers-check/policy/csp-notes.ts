/** Notes on a Content-Security-Policy: mistakes in its syntax, and weaknesses found by csp_evaluator. */
import * as security from 'csp_evaluator/dist/checks/security_checks.js';
import { Csp, Version } from 'csp_evaluator/dist/csp.js';
import { type Finding, Severity } from 'csp_evaluator/dist/finding.js';
import { createNote, formatNames } from '../note.ts';
import type { Note } from '../schema.ts';
import { directivesOf, syntaxNotes } from './csp-syntax.ts';
import { enforcedPolicy } from './enforced-policy.ts';

/** Each script source is compared with about 170 URLs (0.1 ms); policies with more sources are not examined. */
const maxSources = 250;
const maxSourceLength = 1024;

/**
 * The checks of csp_evaluator with the id of their note and the beginning of its sentence; the directives and sources of the findings
 * follow. Its default list, but without Flash, which is obsolete, 'unsafe-eval', which has points, IP addresses, and mistakes in the syntax.
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

/** Excludes findings that csp_evaluator only suspects. */
const isCertain = ({ severity }: Finding): boolean => severity <= Severity.MEDIUM;

function notExamined(reason: string): Note[] {
  const message = `The policy was graded, but not searched for known weaknesses: ${reason}.`;
  return [createNote({ id: 'csp-not-examined', level: 'info', link: guide }, message)];
}
