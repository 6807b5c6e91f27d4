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
import { Csp } from 'csp_evaluator/dist/csp.js';
import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js';
import { type Finding, Severity, Type } from 'csp_evaluator/dist/finding.js';
import type { Policy } from './content-security-policy.ts';
import { directivesOf, syntaxNotes } from './csp-syntax.ts';
import { createNote, formatNames, type NoteKind } from './note.ts';
import type { Note } from './schema.ts';

/** Each script source is compared with about 170 URLs (0.1 ms); policies with more sources are not examined. */
const maxSources = 250;
const maxSourceLength = 1024;

/** Its default list without Flash, which is obsolete, 'unsafe-eval', which has points, IP addresses, and our own syntax notes. */
const enabledChecks = [
  checkScriptUnsafeInline,
  checkPlainUrlSchemes,
  checkWildcards,
  checkMissingDirectives,
  checkScriptAllowlistBypass,
  checkNonceLength,
  checkSrcHttp,
  checkInvalidKeyword,
];

/** Keywords of newer drafts, which csp_evaluator reports as mistakes. */
const newerKeywords = new Set(["'report-sha256'", "'report-sha384'", "'report-sha512'", "'trusted-types-eval'"]);

interface FindingNote extends Omit<NoteKind, 'link'> {
  /** Beginning of the sentence; the directives and sources of the findings follow. */
  readonly sentence: string;
}

const noteOf = new Map<Type, FindingNote>([
  [
    Type.SCRIPT_UNSAFE_INLINE,
    { id: 'csp-inline-scripts', level: 'warning', sentence: 'These sources allow injected inline scripts' },
  ],
  [
    Type.PLAIN_URL_SCHEMES,
    {
      id: 'csp-whole-scheme',
      level: 'warning',
      sentence: 'These sources let an attacker load scripts or set the base URL from any host',
    },
  ],
  [Type.PLAIN_WILDCARD, { id: 'csp-wildcard', level: 'warning', sentence: 'These sources allow every host' }],
  [
    Type.MISSING_DIRECTIVES,
    {
      id: 'csp-missing-directive',
      level: 'warning',
      sentence: 'The policy lacks these directives, which leaves them open to attackers',
    },
  ],
  [
    Type.SCRIPT_ALLOWLIST_BYPASS,
    {
      id: 'csp-bypass',
      level: 'warning',
      sentence: 'These hosts serve JSONP or AngularJS, which lets injected scripts bypass the policy',
    },
  ],
  [
    Type.NONCE_LENGTH,
    { id: 'csp-short-nonce', level: 'warning', sentence: 'A nonce with fewer than 8 characters can be guessed' },
  ],
  [Type.SRC_HTTP, { id: 'csp-plain-http', level: 'warning', sentence: 'These sources allow plain HTTP' }],
  [
    Type.INVALID_KEYWORD,
    { id: 'csp-unknown-keyword', level: 'warning', sentence: 'Unknown keyword, or a keyword without single quotes' },
  ],
]);

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
  let findings: Finding[];
  try {
    findings = findingsOf(policy).filter(isCertain);
  } catch {
    // csp_evaluator throws if a script source cannot be parsed as a URL.
    return [notExaminedNote('it contains a script source that is not a valid URL')];
  }
  const asSent = new Map(
    directivesOf(header).flatMap(({ sources }) => sources.map((source) => [source.toLowerCase(), source])),
  );
  return [...Map.groupBy(findings, ({ type }) => noteOf.get(type))].flatMap(([note, alike]) => {
    if (note === undefined) return [];
    const terms = alike.map(({ directive, value }) =>
      value === undefined ? directive : `${directive} ${asSent.get(value) ?? value}`,
    );
    return [createNote({ ...note, link }, `${note.sentence}: ${formatNames(terms)}.`)];
  });
}

function findingsOf(policy: Policy): Finding[] {
  const directives = [...policy].map(([name, sources]): [string, string[]] => [name, [...sources]]);
  return new CspEvaluator(new Csp(Object.fromEntries(directives))).evaluate([], enabledChecks);
}

/** Excludes findings that csp_evaluator only suspects, and directive names that it reports as keywords. */
const isCertain = ({ severity, value = '' }: Finding): boolean =>
  severity <= Severity.MEDIUM && !newerKeywords.has(value);

const notExaminedNote = (reason: string): Note =>
  createNote(
    { id: 'csp-not-examined', level: 'info', link },
    `The policy was graded, but not searched for known weaknesses: ${reason}.`,
  );
