/** What csp_evaluator finds in a Content-Security-Policy, in our words and without points. */
import {
  checkInvalidKeyword,
  checkMissingSemicolon,
  checkUnknownDirective,
} from 'csp_evaluator/dist/checks/parser_checks.js';
import {
  checkDeprecatedDirective,
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
import type { Note } from './grade-schema.ts';
import { named } from './named.ts';

/** Each source of scripts is held against some 170 addresses (0.1 ms); policies with more sources are left alone. */
const maxSources = 250;
const maxSourceLength = 1024;

/** Its default list without Flash, which is gone, without 'unsafe-eval', which is judged, and without IP addresses. */
const lookedFor = [
  checkScriptUnsafeInline,
  checkPlainUrlSchemes,
  checkWildcards,
  checkMissingDirectives,
  checkScriptAllowlistBypass,
  checkNonceLength,
  checkSrcHttp,
  checkDeprecatedDirective,
  checkUnknownDirective,
  checkMissingSemicolon,
  checkInvalidKeyword,
];

/** Of the drafts since; it takes them for mistakes. */
const newer = new Set([
  'fenced-frame-src',
  "'report-sha256'",
  "'report-sha384'",
  "'report-sha512'",
  "'trusted-types-eval'",
]);

interface FindingNote {
  readonly id: string;
  readonly level: Note['level'];
  /** What the places of the findings follow. */
  readonly sentence: string;
}

const noteOf = new Map<Type, FindingNote>([
  [
    Type.SCRIPT_UNSAFE_INLINE,
    { id: 'csp-inline-scripts', level: 'warning', sentence: 'Injected inline scripts run, because of' },
  ],
  [
    Type.PLAIN_URL_SCHEMES,
    {
      id: 'csp-whole-scheme',
      level: 'warning',
      sentence: 'An attacker can serve scripts or set the base from any host, because of',
    },
  ],
  [Type.PLAIN_WILDCARD, { id: 'csp-wildcard', level: 'warning', sentence: 'Every host is allowed by' }],
  [
    Type.MISSING_DIRECTIVES,
    {
      id: 'csp-missing-directive',
      level: 'warning',
      sentence: 'Left open to attackers, because the policy does not name',
    },
  ],
  [
    Type.SCRIPT_ALLOWLIST_BYPASS,
    {
      id: 'csp-bypass',
      level: 'warning',
      sentence: 'Hosts with JSONP or AngularJS, by which an injected script gets past the policy, are allowed by',
    },
  ],
  [
    Type.NONCE_LENGTH,
    { id: 'csp-short-nonce', level: 'warning', sentence: 'A nonce under 8 characters can be guessed' },
  ],
  [Type.SRC_HTTP, { id: 'csp-plain-http', level: 'warning', sentence: 'Plain HTTP is allowed by' }],
  [
    Type.MISSING_SEMICOLON,
    { id: 'csp-missing-semicolon', level: 'warning', sentence: 'A semicolon seems to be missing before the end of' },
  ],
  [
    Type.INVALID_KEYWORD,
    { id: 'csp-unknown-keyword', level: 'warning', sentence: 'Not a known keyword, or one without single quotes' },
  ],
  [Type.UNKNOWN_DIRECTIVE, { id: 'csp-unknown-directive', level: 'info', sentence: 'Not a known directive' }],
  [Type.DEPRECATED_DIRECTIVE, { id: 'csp-deprecated-directive', level: 'info', sentence: 'Browsers no longer heed' }],
]);

/** At most one note for each kind of finding. */
export function cspNotes(policy: Policy): Note[] {
  const sources = [...policy.values()].flatMap((texts) => [...texts]);
  if (sources.length > maxSources || sources.some(({ length }) => length > maxSourceLength)) {
    return [notExamined(`it has more than ${maxSources} sources, or one longer than ${maxSourceLength} characters`)];
  }
  let findings: Finding[];
  try {
    findings = findingsOf(policy).filter(isCertain);
  } catch {
    // It takes every source of scripts for an address that can be parsed.
    return [notExamined('a source of scripts in it is not an address')];
  }
  return [...Map.groupBy(findings, ({ type }) => noteOf.get(type))].flatMap(([note, alike]) => {
    if (note === undefined) return [];
    const places = alike.map(({ directive, value }) => (value === undefined ? directive : `${directive} ${value}`));
    return [{ id: note.id, level: note.level, message: `${note.sentence}: ${named(places)}.` }];
  });
}

function findingsOf(policy: Policy): Finding[] {
  const directives = [...policy].map(([name, sources]): [string, string[]] => [name, [...sources]]);
  return new CspEvaluator(new Csp(Object.fromEntries(directives))).evaluate([], lookedFor);
}

/** Without what it only supposes; a deprecated directive is information to it. */
const isCertain = ({ severity, type, directive, value }: Finding): boolean =>
  (severity <= Severity.MEDIUM || type === Type.DEPRECATED_DIRECTIVE) && !newer.has(value ?? directive);

const notExamined = (reason: string): Note => ({
  id: 'csp-not-examined',
  level: 'info',
  message: `The policy was judged, but not searched for known weaknesses: ${reason}.`,
});
