/** What bot detection would notice in a set of request headers: hints with their reasons, never a verdict. */
import * as z from 'zod';
import { type HeaderClaims, type HeaderSubject, headerClaims } from './header-claims.ts';
import { caveats, type Finding, type Inapplicable, inapplicable, levels } from './header-outcomes.ts';
import { type Rule, rules } from './header-rules.ts';
import { type Kind, kinds } from './kinds.ts';

const id = z.enum(rules.map((rule) => rule.id) as [string, ...string[]]).describe('Stable name of the rule');

export const HeaderTraits = z
  .object({
    source: z
      .enum(['call', 'given'])
      .describe('Whether the headers of this call were checked, or headers given to the tool'),
    kind: z.enum(kinds).describe('What the User-Agent presents itself as'),
    note: z.string().describe('How to read the hints'),
    hints: z.array(
      z.object({
        id,
        level: z
          .enum(levels)
          .describe(
            'info: ordinary, worth knowing; notice: unusual, with innocent causes; warning: headers contradict each other or no unmodified browser sends them',
          ),
        headers: z.array(z.string()).describe('Lower-case names of the headers it rests on, missing ones included'),
        hint: z.string(),
        reason: z.string().describe('Why it matters and what it rests on'),
      }),
    ),
    notApplicable: z
      .array(z.object({ id, reason: z.string() }))
      .describe('Rules that could not be asked of these headers'),
  })
  .meta({
    id: 'HeaderTraits',
    description: 'Traits of request headers that bot detection often weights: hints, not proofs',
  });
export type HeaderTraits = z.infer<typeof HeaderTraits>;

const notes = {
  call: 'Hints, not proofs. These are the headers of the program that called this tool, often a server of an AI agent, not those of the browser of the person it works for.',
  given:
    'Hints, not proofs. How the headers travelled (HTTPS, HTTP version, address) is not known, and rules that need it say so.',
} as const;

export function headerTraits(subject: HeaderSubject): HeaderTraits {
  const observed = headerClaims(subject);
  const source = subject.own ? 'call' : 'given';
  const traits: HeaderTraits = { source, kind: observed.agent.kind, note: notes[source], hints: [], notApplicable: [] };
  for (const rule of rules) {
    const outcome = (rule.clients === 'browsers' ? noBrowser(observed) : null) ?? rule.check(observed);
    if (typeof outcome === 'string') {
      traits.notApplicable.push({ id: rule.id, reason: filled(inapplicable[outcome], { kind: observed.agent.kind }) });
    } else if (outcome !== null) {
      traits.hints.push(hint(rule, outcome));
    }
  }
  return traits;
}

const browserKinds: ReadonlySet<Kind> = new Set<Kind>(['browser', 'headless-browser']);

function noBrowser({ agent }: HeaderClaims): Inapplicable | null {
  if (browserKinds.has(agent.kind)) return null;
  if (agent.raw.trim() === '') return 'noUserAgent';
  return agent.kind === 'unknown' ? 'unknownClient' : 'notBrowser';
}

function hint(rule: Rule, { headers, level, caveat, values }: Finding): HeaderTraits['hints'][number] {
  return {
    id: rule.id,
    level: level ?? rule.level,
    headers: [...headers],
    hint: filled(rule.hint, values ?? {}),
    reason: caveat === undefined ? rule.reason : `${rule.reason} ${caveats[caveat]}`,
  };
}

const filled = (sentence: string, values: Readonly<Record<string, string>>) =>
  sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
