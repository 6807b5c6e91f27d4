/** Creates notes: each has a link to its documentation and quotes untrusted names only in part. */
import { replaceControls } from '../../core/text.ts';
import type { Note } from './schema.ts';

/** MDN's page on an HTTP header. */
export const mdnHeader = (name: string): string =>
  `https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/${name}`;

export const rfc = (number: number, section: string): string =>
  `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`;

/** Whether a Content-Type belongs to a page. */
export const isHtml = (contentType: string): boolean => /^\s*text\/html\b/i.test(contentType);

type NoteKind = Omit<Note, 'message'>;

export const createNote = ({ id, level, link }: NoteKind, message: string): Note => ({ id, level, message, link });

/** A mistake of an item, such as a cookie: `find` returns the names of its occurrences, which may be untrusted. */
export type Mistake<Item> = readonly [
  kind: NoteKind,
  find: (item: Item) => readonly string[],
  describe: (names: string) => string,
];

/** One note for each mistake that occurs, which names all its occurrences. */
export function noteMistakes<Item>(mistakes: readonly Mistake<Item>[], items: readonly Item[]): Note[] {
  return mistakes.flatMap(([kind, find, describe]) => {
    const names = items.flatMap(find);
    return names.length === 0 ? [] : [createNote(kind, describe(formatNames(names)))];
  });
}

const maxNames = 5;
const maxNameLength = 64;

/** Untrusted names in a sentence: few, short, and without control characters, which terminals would obey. */
export function formatNames(names: readonly string[]): string {
  const different = [...new Set(names.map(replaceControls))];
  const short = different
    .slice(0, maxNames)
    .map((name) => (name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name));
  const more = different.length - short.length;
  return more > 0 ? `${short.join(', ')} and ${more} more` : short.join(', ');
}
