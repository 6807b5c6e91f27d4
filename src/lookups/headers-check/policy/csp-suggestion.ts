/**
 * A better Content-Security-Policy. It keeps permitted what the site's own origin may load today: a policy that would block something in
 * the page itself, such as inline scripts, is suggested as one that only reports.
 */

import { ownOriginPolicy } from '../data/checks.ts';
import { outcomes } from '../outcomes.ts';
import type { GradedResponse } from '../schema.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { type Directives, type Effects, restrictPolicies } from './csp-restrictions.ts';
import { policiesAsSent, syntaxNotes } from './csp-syntax.ts';
import { enforcedOutcome } from './enforced-policy.ts';
import { frameAncestorsOf, isAllowFrom } from './framing.ts';

interface Suggestion {
  /** The header line; null if the policy that only reports needs no change. */
  readonly line: string | null;
  /** False if the policy only reports. */
  readonly isEnforced: boolean;
  /** What it blocks, or would block if it were enforced. */
  readonly blocked: readonly string[];
}

const enforcing = 'Content-Security-Policy';
const reporting = 'Content-Security-Policy-Report-Only';

/** A longer policy is not printed again. */
const maxPolicyLength = 4096;

/** What the policy for a site without one would block. */
const blockedByDefault = ['inline scripts and styles', 'eval', 'data: URLs', 'content of other hosts'];

/** Null if the policy is too long. */
export function suggestPolicy(response: GradedResponse): Suggestion | null {
  const [enforced, reported] = [enforcing, reporting].map((name) => response.headers[name.toLowerCase()] ?? '');
  if (enforced === undefined || reported === undefined) return null;
  if (enforced.length > maxPolicyLength || reported.length > maxPolicyLength) return null;
  const better = improve(response, enforced);
  if (better?.ofPage.size === 0)
    return { line: lineOf(enforcing, better.policies), isEnforced: true, blocked: [...better.ofOthers] };
  const tried = reported === '' ? better : improve(response, reported);
  if (tried === null)
    return {
      line: lineOf(reporting, [[...ownOriginPolicy, framingDirective(response)]]),
      isEnforced: false,
      blocked: blockedByDefault,
    };
  const isSent = formatPolicies(tried.policies) === formatPolicies(policiesAsSent(reported));
  return {
    line: isSent ? null : lineOf(reporting, tried.policies),
    isEnforced: false,
    blocked: [...tried.ofPage, ...tried.ofOthers],
  };
}

interface Improvement extends Effects {
  readonly policies: readonly Directives[];
}

/** The policies of a header without unsafe sources; null if they are not safe even then, or have mistakes. */
function improve(response: GradedResponse, header: string): Improvement | null {
  const sent = policiesAsSent(header);
  if (sent.length === 0 || syntaxNotes(header).some(({ level }) => level === 'warning')) return null;
  const effects = { ofPage: new Set<string>(), ofOthers: new Set<string>() };
  const restricted = restrictPolicies(sent, response.finalUrl.startsWith('https:'), effects);
  const replacesFrameOptions = isAllowFrom(response.headers) && !hasFrameAncestors(header);
  const policies = replacesFrameOptions ? withFraming(restricted, response) : restricted;
  return isSafe(response, policies) ? { policies, ...effects } : null;
}

/** By the rules of browsers and by those of the HTTP Observatory, with at least the points of the policy that is sent. */
function isSafe(response: GradedResponse, policies: readonly Directives[]): boolean {
  const finalUrl = response.finalUrl.replace(/^http:/, 'https:');
  const changed = { ...response, finalUrl, headers: { 'content-security-policy': formatPolicies(policies) } };
  const enforced = enforcedOutcome(changed);
  const { points } = outcomes[contentSecurityPolicy(changed).outcome];
  const before = outcomes[contentSecurityPolicy(response).outcome].points;
  return enforced !== null && outcomes[enforced].points >= 0 && points >= Math.max(0, before);
}

const framingDirective = (response: GradedResponse) => ({
  name: 'frame-ancestors',
  sources: [...frameAncestorsOf(response)],
});

const withFraming = ([first = [], ...others]: readonly Directives[], response: GradedResponse) => [
  [...first, framingDirective(response)],
  ...others,
];

/** The header line with frame-ancestors in the first policy; null if it is too long. */
export const addFrameAncestors = (header: string, response: GradedResponse): string | null =>
  header.length > maxPolicyLength ? null : lineOf(enforcing, withFraming(policiesAsSent(header), response));

export const hasFrameAncestors = (header: string): boolean =>
  policiesAsSent(header).some((directives) => directives.some(({ name }) => name === 'frame-ancestors'));

const formatPolicies = (policies: readonly Directives[]): string =>
  policies
    .map((directives) => directives.map(({ name, sources }) => [name, ...sources].join(' ')).join('; '))
    .join(', ');

/** A nonce is new in each response: whoever sends one again permits every script that repeats it. Browsers ignore an invalid one. */
const lineOf = (header: string, policies: readonly Directives[]): string =>
  `${header}: ${formatPolicies(policies).replace(/'nonce-[a-z\d+/_-]+={0,2}'/gi, "'nonce-…'")}`;
