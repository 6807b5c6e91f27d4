/** Content-Security-Policy as sent: its directives, and notes on mistakes in their syntax. */
import { Directive } from 'csp_evaluator/dist/csp.js';
import { editDistance } from '../../../core/text.ts';
import type { Note } from '../schema.ts';
import { type Mistake, mdnHeader, noteMistakes } from './note.ts';

export interface PolicyDirective {
  /** In lower case. */
  readonly name: string;
  /** As sent: nonces and paths are case-sensitive. */
  readonly sources: readonly string[];
}

/** More policies and directives than a valid header has; the rest is ignored. */
const maxDirectives = 200;

/** The directives of all policies of a header. */
export function directivesOf(header: string): readonly PolicyDirective[] {
  return header.split(/[;,]/, maxDirectives).flatMap((text) => {
    const [name = '', ...sources] = text.trim().split(/\s+/);
    return name === '' ? [] : [{ name: name.toLowerCase(), sources }];
  });
}

/** Directives of earlier drafts, which browsers no longer honor. */
const deprecated: readonly string[] = [
  'block-all-mixed-content',
  'disown-opener',
  'navigate-to',
  'plugin-types',
  'prefetch-src',
  'referrer',
  'reflected-xss',
  'require-sri-for',
];

/**
 * CSP Level 3, and the specifications that extend it: those that csp_evaluator knows, and one that it lacks.
 * https://www.w3.org/TR/CSP3/#csp-directives Last updated: 2026-11-21
 */
const known: readonly string[] = [...Object.values<string>(Directive), 'fenced-frame-src']
  .filter((name) => !deprecated.includes(name))
  .sort();

const isDirective = (name: string): boolean => known.includes(name) || deprecated.includes(name);

const link = mdnHeader('Content-Security-Policy');

/** Known directives that differ from one of the names in at most two letters, as a question; or nothing. */
function correctionOf(names: string): string {
  const likely = known.filter((each) => names.split(/[ ,]+/).some((name) => isMisspelled(name, each)));
  return likely.length === 0 ? '' : `Did you mean ${likely.join(', ')}? `;
}

const isMisspelled = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 && editDistance(name, known) <= 2;

const mistakes: readonly Mistake<PolicyDirective>[] = [
  [
    { id: 'csp-missing-semicolon', level: 'warning', link },
    ({ name, sources }) =>
      sources
        .filter((source) => isDirective(source.toLowerCase()))
        .map((source) => `${source.toLowerCase()} is read as a source of ${name}`),
    (found) => `A semicolon is missing: ${found}. Add one before it; until then, browsers do not apply it.`,
  ],
  [
    { id: 'csp-curly-quotes', level: 'warning', link },
    ({ name, sources }) => sources.filter((source) => /[‘’‚‛“”„‟`´]/.test(source)).map((source) => `${name} ${source}`),
    (found) =>
      `Browsers ignore keywords with curly or other quotation marks: ${found}. Use straight single quotes (').`,
  ],
  [
    { id: 'csp-none-ignored', level: 'warning', link },
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
    { id: 'csp-unknown-directive', level: 'warning', link },
    ({ name }) => (isDirective(name) ? [] : [name]),
    (found) => `Browsers ignore unknown directives: ${found}. ${correctionOf(found)}Correct or remove them.`,
  ],
  [
    { id: 'csp-deprecated-directive', level: 'info', link },
    ({ name }) => (deprecated.includes(name) ? [name] : []),
    (found) => `Browsers no longer honor these directives: ${found}. Remove them.`,
  ],
];

/** At most one note for each kind of mistake. */
export const syntaxNotes = (header: string): Note[] => noteMistakes(mistakes, directivesOf(header));
