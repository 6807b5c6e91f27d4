/** Names that came with the response, in a sentence: few, and short. */

const maxNames = 5;
const maxNameLength = 64;

export function named(names: readonly string[]): string {
  const different = [...new Set(names)];
  const short = different
    .slice(0, maxNames)
    .map((name) => (name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name));
  const more = different.length - short.length;
  return more > 0 ? `${short.join(', ')} and ${more} more` : short.join(', ');
}
