/** Recognizes texts that stand for a value that a registry withholds, or does not have. */
import { absences, fillers, placeholders } from './data/placeholders.ts';

const phrases = Object.keys(placeholders).join('|');
const filler = fillers.join('|');
/** Words are separated by one space, so that no part matches the same text in two ways. */
const placeholder = new RegExp(`^(?:(?:${filler}) )*(?:${phrases})(?: (?:${filler}|${phrases}))*$`);

/** Longer texts are not placeholders. */
const maxLength = 200;

const wordsOf = (text: string): string =>
  text.length > maxLength
    ? ''
    : text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();

/** Whether the text stands for a value that is withheld. */
export const isPlaceholder = (text: string): boolean => placeholder.test(wordsOf(text));

/** Whether the text is a value: no placeholder, no statement that there is none, and not only punctuation. */
export function isStated(text: string): boolean {
  const words = wordsOf(text);
  return text.length > maxLength || (words !== '' && !placeholder.test(words) && !absences.includes(words));
}
