/** Literals of a regular expression, one of which every matching text contains: without any of them it need not be tried. */

/** A single character occurs in too many texts to be selective. */
const minLength = 2;

/** One of these is contained in every match; null if none is known. */
type AnyOf = readonly string[] | null;

interface Sequence {
  best: AnyOf;
  run: string;
}

interface Group {
  alternatives: AnyOf[];
  current: Sequence;
  isLookAround: boolean;
}

const token = /\\[dwsbDWSB\d]|\\(.)|\[(?:\\.|[^\]])*\]|(\()(?:\?(?:[:=!]|<[=!]))?|(\))|(\|)|[\^$.]|([^\\])/gy;
const quantifier = /[?*]\??|\{(\d+)[^}]*\}\??|\+\??/y;

/** Returns literals of at least two characters, one of which every match contains; null if there are none. */
export function requiredLiterals(source: string): readonly string[] | null {
  const stack = [groupOf('(')];
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const match = token.exec(source);
    if (match === null) return null;
    const [text, escaped, opening, closing, bar, plain] = match;
    const group = stack.at(-1) as Group;
    if (opening !== undefined) stack.push(groupOf(text));
    else if (bar !== undefined) endAlternative(group);
    else {
      quantifier.lastIndex = token.lastIndex;
      const repeat = quantifier.exec(source);
      if (repeat !== null) token.lastIndex = quantifier.lastIndex;
      const isOptional = repeat !== null && (/^[?*]/.test(repeat[0]) || repeat[1] === '0');
      if (closing !== undefined) closeGroup(stack, isOptional);
      else addCharacter(group.current, isOptional ? undefined : (escaped ?? plain), repeat !== null);
    }
  }
  const [root] = stack as [Group];
  endAlternative(root);
  return unionOf(root.alternatives);
}

const groupOf = (opening: string): Group => ({
  alternatives: [],
  current: { best: null, run: '' },
  isLookAround: /[=!]$/.test(opening),
});

const shortest = (literals: readonly string[]): number => Math.min(...literals.map(({ length }) => length));

/** Returns the more selective set: the one whose shortest literal is longer. */
const better = (one: AnyOf, other: AnyOf): AnyOf =>
  one === null || (other !== null && shortest(other) > shortest(one)) ? other : one;

function endRun(sequence: Sequence): void {
  if (sequence.run.length >= minLength) sequence.best = better(sequence.best, [sequence.run]);
  sequence.run = '';
}

function endAlternative(group: Group): void {
  endRun(group.current);
  group.alternatives.push(group.current.best);
  group.current = { best: null, run: '' };
}

/** Every alternative has literals, or nothing is known of the group. */
const unionOf = (alternatives: readonly AnyOf[]): AnyOf =>
  alternatives.includes(null) ? null : alternatives.flatMap((literals) => literals ?? []);

function closeGroup(stack: Group[], isOptional: boolean): void {
  const group = stack.pop() as Group;
  endAlternative(group);
  const outer = (stack.at(-1) as Group).current;
  endRun(outer);
  if (!isOptional && !group.isLookAround) outer.best = better(outer.best, unionOf(group.alternatives));
}

/** An undefined character is a class or optional: it ends the run. */
function addCharacter(sequence: Sequence, character: string | undefined, isRepeated: boolean): void {
  if (character !== undefined) sequence.run += character;
  if (character === undefined || isRepeated) endRun(sequence);
}
