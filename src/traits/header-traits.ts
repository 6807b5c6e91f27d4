/** Traits of request headers that bot detection often weighs: hints with reasons, never a verdict. */
import * as z from 'zod';
import { kinds } from '../client/kinds.ts';
import { type HeaderClaims, type HeaderSubject, headerClaims } from './claims.ts';
import { clientHintsRules } from './client-hints-rules.ts';
import { levels, type Rule, type RuleId, rules } from './data/rules.ts';
import { caveats, type Inapplicable, inapplicable, notes } from './data/sentences.ts';
import { declarationRules } from './declaration-rules.ts';
import { fetchRules } from './fetch-rules.ts';
import { firefoxRules } from './firefox-rules.ts';
import { handshakeRules } from './handshake-rules.ts';
import { hintValueRules } from './hint-value-rules.ts';
import { networkRules } from './network-rules.ts';
import { requestRules } from './request-rules.ts';
import type { Finding, RuleFunction } from './rule.ts';
import { versionRules } from './version-rules.ts';

const ruleFunctions: Readonly<Record<RuleId, RuleFunction>> = {
  ...requestRules,
  ...clientHintsRules,
  ...hintValueRules,
  ...fetchRules,
  ...firefoxRules,
  ...networkRules,
  ...declarationRules,
  ...versionRules,
  ...handshakeRules,
};

/** No enumeration, because rules are added. */
const id = z
  .string()
  .refine((name) => Object.hasOwn(rules, name))
  .describe('Stable name of the rule');

export const HeaderTraits = z
  .object({
    source: z
      .enum(['call', 'given'])
      .describe('call: the headers of this tool call; given: the headers passed to the tool'),
    kind: z.enum(kinds).describe('Kind of client that the User-Agent indicates'),
    note: z.string().describe('How to read the hints'),
    hints: z.array(
      z.object({
        id,
        level: z
          .enum(levels)
          .describe(
            'info: ordinary, worth knowing; notice: unusual, with harmless causes; warning: headers contradict each other or no unmodified browser sends them',
          ),
        headers: z.array(z.string()).describe('Lower-case names of the headers it is based on, missing ones included'),
        hint: z.string(),
        reason: z.string().describe('Why it matters, and the evidence'),
      }),
    ),
    notApplicable: z
      .array(z.object({ reason: z.string(), ids: z.array(id) }))
      .describe('Rules that do not apply to these headers, by reason'),
  })
  .meta({
    id: 'HeaderTraits',
    description: 'Traits of request headers that bot detection often weighs: hints, not proofs',
  });
export type HeaderTraits = z.infer<typeof HeaderTraits>;

export function headerTraits(subject: HeaderSubject): HeaderTraits {
  const claims = headerClaims(subject);
  const source = subject.own ? 'call' : 'given';
  const { kind } = claims.agent;
  const hints: HeaderTraits['hints'] = [];
  const idsByReason = new Map<string, string[]>();
  for (const [id, rule] of Object.entries(rules)) {
    const outcome = otherClient(rule, claims) ?? ruleFunctions[id as RuleId](claims);
    if (typeof outcome === 'string') {
      const reason = interpolate(inapplicable[outcome], { kind });
      idsByReason.set(reason, [...(idsByReason.get(reason) ?? []), id]);
    } else if (outcome !== null) {
      hints.push({ id, ...hint(rule, outcome) });
    }
  }
  const notApplicable = [...idsByReason].map(([reason, ids]) => ({ reason, ids }));
  return { source, kind, note: notes[source], hints, notApplicable };
}

/** The reason why the rule does not apply to this kind of client, if there is one. */
function otherClient({ appliesTo }: Rule, { agent, isBrowser, engine }: HeaderClaims): Inapplicable | null {
  if (appliesTo === undefined) return null;
  if (isBrowser) return appliesTo === 'chromium' && engine !== 'blink' ? 'onlyChromium' : null;
  if (agent.raw.trim() === '') return 'noUserAgent';
  return agent.kind === 'unknown' ? 'unknownClient' : 'notBrowser';
}

function hint(rule: Rule, { headers, level, caveat, values }: Finding): Omit<HeaderTraits['hints'][number], 'id'> {
  return {
    level: level ?? rule.level,
    headers: [...headers],
    hint: interpolate(rule.hint, values ?? {}),
    reason: caveat === undefined ? rule.reason : `${rule.reason} ${caveats[caveat]}`,
  };
}

const interpolate = (sentence: string, values: Readonly<Record<string, string>>) =>
  sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
