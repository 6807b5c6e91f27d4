/** The function of a rule of check_headers, and what it may find. */
import type { HeaderClaims } from './claims.ts';
import type { Level, RuleId } from './data/rules.ts';
import type { Caveat, Inapplicable } from './data/sentences.ts';

export interface Finding {
  /** Lower-case names of the headers it is based on, missing ones included. */
  headers: readonly string[];
  /** Set if it differs from the rule's. */
  level?: Level;
  caveat?: Caveat;
  /** Values for `{name}` in the rule's sentence. Validated values only, never a header's free text. */
  values?: Readonly<Record<string, string>>;
}

/** A finding that needs no values, if there is one. */
export const findingIf = (isFound: boolean, ...headers: readonly string[]): Finding | null =>
  isFound ? { headers } : null;

/** A finding whose sentence lists the headers it is based on, if there are any. */
export const findingOn = (headers: readonly string[]): Finding | null =>
  headers.length > 0 ? { headers, values: { names: headers.join(', ') } } : null;

/** The finding with a lower level, because of the caveat. */
export const asInfo = (finding: Finding, caveat: Caveat): Finding => ({ ...finding, level: 'info', caveat });

export type Outcome = Finding | Inapplicable | null;

/** Returns null if the rule applies and found nothing. */
export type RuleFunction = (claims: HeaderClaims) => Outcome;

export type RuleFunctions = Readonly<Partial<Record<RuleId, RuleFunction>>>;

/** Evaluates what `read` returns, unless that is the reason why the rule does not apply. */
export const ruleWith =
  <Read extends object | number>(
    read: (claims: HeaderClaims) => Read | Inapplicable,
    evaluate: (read: Read, claims: HeaderClaims) => Outcome,
  ): RuleFunction =>
  (claims) => {
    const found = read(claims);
    return typeof found === 'string' ? found : evaluate(found, claims);
  };
