/** Runs ua-parser-js with only the rules whose literals a text contains: otherwise it would try 300 expressions one by one. */
import { UAParser } from 'ua-parser-js';
import { uaParserLiterals } from './data/generated/ua-parser-literals.ts';
import { indexLiterals } from './literal-index.ts';

export const parserParts = ['browser', 'cpu', 'device', 'engine', 'os'] as const;
type Part = (typeof parserParts)[number];

/** An expression, and what its groups are. */
type Rule = readonly [expressions: readonly [RegExp], meaning: readonly unknown[]];

/** The package appends its lists, of alternating expressions and meanings, to those of its second parameter. */
function parserWith(text: string, append: (part: Part, list: readonly unknown[]) => readonly unknown[]): UAParser {
  const parts = parserParts.map((part) => [
    part,
    { length: 0, concat: (list: readonly unknown[]) => append(part, list) },
  ]);
  return new UAParser(text, Object.fromEntries(parts));
}

/** The rules of ua-parser-js in their order, part by part. */
export function readRules() {
  const rules: { readonly part: Part; readonly rule: Rule }[] = [];
  parserWith('-', (part, list) => {
    for (let at = 0; at < list.length; at += 2)
      for (const expression of list[at] as RegExp[])
        rules.push({ part, rule: [[expression], list[at + 1] as unknown[]] });
    return list;
  });
  return rules;
}

function createIndex() {
  const rows = uaParserLiterals.flatMap((literals, rule) => literals.map((literal) => ({ literal, rule })));
  return {
    rules: readRules(),
    /** Rules that no literal is known of. */
    always: [...uaParserLiterals.keys()].filter((rule) => uaParserLiterals[rule]?.length === 0),
    find: indexLiterals(rows),
  };
}

/** Created on first use, to keep the start of a process short. */
let index: ReturnType<typeof createIndex> | null = null;

/** Returns a parser of the text that finds what ua-parser-js finds. */
export function parserOf(text: string): UAParser {
  index ??= createIndex();
  const { rules, always, find } = index;
  const found = new Set([...always, ...find(text.toLowerCase()).map(({ row }) => row.rule)]);
  const chosen: Record<Part, unknown[]> = { browser: [], cpu: [], device: [], engine: [], os: [] };
  for (const at of [...found].sort((one, other) => one - other)) {
    const entry = rules[at];
    if (entry !== undefined) chosen[entry.part].push(...entry.rule);
  }
  return parserWith(text, (part) => chosen[part]);
}
