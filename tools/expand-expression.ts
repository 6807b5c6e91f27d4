/** Lists the texts with which the matches of a regular expression begin, if they are few. */

/** A match is one of `complete`, or begins with one of `open`. */
export interface Expansion {
  readonly complete: readonly string[];
  readonly open: readonly string[];
}

const maxTexts = 600;
const token = /\\(.)|\[(\^?)((?:\\.|[^\]])*)\]|(\()(?:\?(:|i:|[=!]))?|(\))|(\|)|([.^$])|([^\\])/gsy;
const quantifier = /\?|[*+]\??|\{(\d+)(?:(,)(\d*))?\}\??/y;

/** Null if the expression has more texts than are useful. */
export function expandExpression(source: string): Expansion | null {
  try {
    const reader = new Reader(source);
    const expansion = reader.readAlternatives();
    return reader.at === source.length ? expansion : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const empty: Expansion = { complete: [''], open: [] };
/** Matches anything. */
const unknown: Expansion = { complete: [], open: [''] };

class Reader {
  at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  readAlternatives(): Expansion {
    let whole: Expansion = { complete: [], open: [] };
    let current = empty;
    while (this.at < this.#source.length && this.#source[this.at] !== ')') {
      if (this.#source[this.at] === '|') {
        this.at += 1;
        whole = join(whole, current);
        current = empty;
      } else current = follow(current, this.#readRepeated());
    }
    return join(whole, current);
  }

  #readRepeated(): Expansion {
    const once = this.#readAtom();
    quantifier.lastIndex = this.at;
    const match = quantifier.exec(this.#source);
    if (match === null) return once;
    this.at = quantifier.lastIndex;
    const [text, least = '0', comma, most] = match;
    if (text === '?') return join(empty, once);
    if (text.startsWith('*')) return unknown;
    if (text.startsWith('+')) return follow(once, unknown);
    const required = Array.from({ length: Number(least) }).reduce<Expansion>((all) => follow(all, once), empty);
    if (comma === undefined || most === least) return required;
    return least === '0' && most === '1' ? join(empty, once) : follow(required, unknown);
  }

  #readAtom(): Expansion {
    token.lastIndex = this.at;
    const match = token.exec(this.#source);
    if (match === null) throw new RangeError('not a token');
    this.at = token.lastIndex;
    const [, escaped, negated, members, opening, modifier, closing, , special, plain] = match;
    if (opening !== undefined) {
      const inner = this.readAlternatives();
      this.at += 1;
      if (modifier === '=' || modifier === '!') return empty;
      return inner;
    }
    if (closing !== undefined || special === '.' || negated === '^') return unknown;
    if (special !== undefined) return empty;
    if (members !== undefined) return { complete: membersOf(members), open: [] };
    if (escaped === 'd') return { complete: [...'0123456789'], open: [] };
    if (escaped !== undefined && /[wWsSDbB]/.test(escaped)) return escaped === 'b' ? empty : unknown;
    return { complete: [escaped ?? plain ?? ''], open: [] };
  }
}

function membersOf(members: string): string[] {
  const ranges = members.replace(/\\d/g, '0-9').matchAll(/\\?(.)(?:-(?:\\?(.)))?/gs);
  return [...ranges].flatMap(([, first = '', last = first]) => {
    const [from = 0, to = 0] = [first.charCodeAt(0), last.charCodeAt(0)];
    return Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
  });
}

const join = (one: Expansion, other: Expansion): Expansion =>
  limit({ complete: [...one.complete, ...other.complete], open: [...one.open, ...other.open] });

const follow = (one: Expansion, other: Expansion): Expansion => {
  if (one.complete.length * (other.complete.length + other.open.length) > maxTexts) throw new RangeError('too many');
  const combine = (ends: readonly string[]) => one.complete.flatMap((start) => ends.map((end) => start + end));
  return limit({ complete: combine(other.complete), open: [...one.open, ...combine(other.open)] });
};

function limit(expansion: Expansion): Expansion {
  if (expansion.complete.length + expansion.open.length > maxTexts) throw new RangeError('too many');
  return expansion;
}
