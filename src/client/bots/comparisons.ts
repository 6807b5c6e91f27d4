/** Names that a User-Agent compares itself with: no identity of its own. */

/** Chromium and WebKit compare themselves with Gecko, and the systems of Apple with Mac OS X. */
const comparison =
  /\b(?:(?:treat )?like|unlike|compatible with|similar to) (?!Gecko\b|Mac OS X\b)[^;,()|]{1,80}(?: ?\(\+https?:\/\/[^\s;,()]{1,200}\))?/gi;

/** Most texts have none, which this finds out more quickly. */
const mayCompare = /ike (?!Gecko|Mac OS X)|ompatible with|imilar to/;

/** The text with such names replaced by spaces, so that positions stay the same. A URL in parentheses after a name is of the same. */
export const blankComparisons = (text: string): string =>
  mayCompare.test(text) ? text.replace(comparison, (found) => ' '.repeat(found.length)) : text;
