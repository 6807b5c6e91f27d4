/** Finds which of many literals a text contains, without a regular expression to compile: one look-up for each character. */

export interface Hit {
  /** Place of the literal in the list. */
  literal: number;
  /** Index in the text. */
  at: number;
}

/** Enough characters to make most look-ups fail; shorter literals are searched one by one. */
const keyLength = 3;

/** Returns a function that lists the hits of a text: in order of their place in the text, then of the list. */
export function indexLiterals(literals: readonly string[]): (text: string) => Hit[] {
  // A power of two, several times the number of literals, so that most look-ups find nothing.
  const mask = 2 ** (4 + Math.ceil(Math.log2(literals.length + 1))) - 1;
  // Linked lists in typed arrays: there are eight indexes of up to 1,500 literals, created whenever a process starts.
  const firsts = new Int32Array(mask + 1).fill(none);
  const nexts = new Int32Array(literals.length).fill(none);
  const short: number[] = [];
  for (let literal = literals.length - 1; literal >= 0; literal--) {
    const text = literals[literal] as string;
    if (text.length < keyLength) short.unshift(literal);
    else {
      const key = keyOf(text, 0) & mask;
      nexts[literal] = firsts[key] as number;
      firsts[key] = literal;
    }
  }
  return (text) => {
    const hits: Hit[] = [];
    const last = text.length - keyLength;
    for (let at = 0; at <= last; at++) {
      let literal = firsts[keyOf(text, at) & mask] as number;
      for (; literal !== none; literal = nexts[literal] as number)
        if (text.startsWith(literals[literal] as string, at)) hits.push({ literal, at });
    }
    for (const literal of short) {
      const at = text.indexOf(literals[literal] as string);
      if (at >= 0) hits.push({ literal, at });
    }
    return short.length === 0 ? hits : hits.sort((one, other) => one.at - other.at || one.literal - other.literal);
  };
}

/** The end of a list. */
const none = -1;

/** A number for three characters. */
const keyOf = (text: string, at: number): number =>
  text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2);
