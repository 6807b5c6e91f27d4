/** Compares misspelled names. */

/** Levenshtein distance. */
export function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1];
    for (let at = 0; at < other.length; at++) {
      const substituted = (previous[at] ?? 0) + (other[at] === character ? 0 : 1);
      current.push(Math.min(substituted, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
