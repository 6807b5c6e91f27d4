/** Notes on Permissions-Policy, a structured field: what browsers ignore in it without a word, and what it does not restrict. */
import { type InnerList, type Item, parseDictionary, Token } from 'structured-headers';
import { editDistance } from '../../core/text.ts';
import { permissionsFeatures } from './data/permissions-features.ts';
import { createNote, formatNames, isHtml, mdnHeader } from './note.ts';
import type { GradedResponse, Note } from './schema.ts';

const link = mdnHeader('Permissions-Policy');

export function* permissionsPolicyNotes(headers: GradedResponse['headers']): Generator<Note> {
  const value = headers['permissions-policy'];
  if (value === undefined) {
    if (isHtml(headers['content-type'] ?? 'text/html'))
      yield createNote(
        { id: 'permissions-policy-absent', level: 'info', link },
        'Permissions-Policy is missing. It disables browser features that the page does not use, for example: Permissions-Policy: camera=(), microphone=(), geolocation=()',
      );
    return;
  }
  const members = membersOf(value);
  if (members === null) {
    yield createNote({ id: 'permissions-policy-invalid', level: 'warning', link }, describeInvalid(value));
    return;
  }
  yield* mistakeNotes(members);
  // A Client Hint with * is sent to every host that the page loads from, which a site only names on purpose.
  const open = members.filter(({ feature, entries }) => !feature.startsWith('ch-') && entries.some(isAny));
  if (open.length > 0)
    yield createNote(
      { id: 'permissions-policy-any', level: 'info', link },
      `Permissions-Policy does not restrict these features (*), as if it did not name them: ${formatNames(open.map(({ feature }) => feature))}. Frames of every site can use them, most only with an allow attribute. Use () or (self) if no other site needs them.`,
    );
}

/** Why a value is not valid, if that is a frequent mistake. */
function describeInvalid(value: string): string {
  if (/['*]/.test(value) && !value.includes('='))
    return "Permissions-Policy has the syntax of Feature-Policy (camera 'none'), so browsers ignore it; write camera=(), microphone=(self).";
  const names = value.replaceAll(/"[^"]*"/g, '');
  const [reason = 'write features and origins like this'] = [
    /;\s*[\w-]+\s*=\s*\(/.test(value) && 'separate features by commas, not semicolons',
    /'/.test(value) && 'write self and * without quotes, and () for none',
    // Not an expression for a whole name: it would scan a long name once from each of its letters.
    /[A-Z]/.test(names.slice(0, Math.max(names.lastIndexOf('='), 0))) && 'write features in lower case',
    /,\s*$/.test(value) && 'remove the comma at the end',
  ].filter((each) => each !== false);
  return `Permissions-Policy is not valid, so browsers ignore all of it; ${reason}: camera=(), microphone=(self).`;
}

type Entry = Item[0];

interface Member {
  readonly feature: string;
  readonly entries: readonly Entry[];
  /** Of the member and of its entries. */
  readonly parameters: readonly string[];
}

/** Null if the value is not a dictionary (RFC 9651 §3.2). */
function membersOf(value: string): Member[] | null {
  try {
    return [...parseDictionary(value)].map(([feature, [content, parameters]]) => {
      const items: Item[] = Array.isArray(content) ? (content as InnerList[0]) : [[content as Entry, new Map()]];
      return {
        feature,
        entries: items.map(([entry]) => entry),
        parameters: [...parameters.keys(), ...items.flatMap(([, each]) => [...each.keys()])],
      };
    });
  } catch {
    return null;
  }
}

const isAny = (entry: Entry): boolean => entry instanceof Token && entry.toString() === '*';

function* mistakeNotes(members: readonly Member[]): Generator<Note> {
  const parameters = members.flatMap(({ feature, parameters }) =>
    parameters.filter((name) => name !== 'report-to').map((name) => `${name} behind ${feature}`),
  );
  if (parameters.length > 0)
    yield createNote(
      { id: 'permissions-policy-semicolon', level: 'warning', link },
      `Behind a semicolon, browsers read a parameter and ignore it: ${formatNames(parameters)}. Separate features by commas.`,
    );
  const ignored = members.flatMap(({ feature, entries }) =>
    entries.flatMap((entry) => {
      const remedy = remedyOf(entry);
      return remedy === null ? [] : [`${feature}=${textOf(entry)} (${remedy})`];
    }),
  );
  if (ignored.length > 0)
    yield createNote(
      { id: 'permissions-policy-ignored', level: 'warning', link },
      `Browsers ignore these values of Permissions-Policy: ${formatNames(ignored)}.`,
    );
  const misspelled = members.flatMap(({ feature }) => {
    const meant = permissionsFeatures.find((known) => isMisspelled(feature, known));
    return permissionsFeatures.includes(feature) || meant === undefined ? [] : [`${feature} (did you mean ${meant}?)`];
  });
  if (misspelled.length > 0)
    yield createNote(
      { id: 'permissions-policy-feature', level: 'warning', link },
      `Browsers ignore features that they do not know: ${formatNames(misspelled)}.`,
    );
}

/** A short name is likely another word: `push`, which early lists of features had, is not `usb`. */
const isMisspelled = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 &&
  name.length > 3 &&
  editDistance(name, known) <= (name.length > 5 ? 2 : 1);

const textOf = (entry: Entry): string => (typeof entry === 'string' ? `"${entry}"` : String(entry));

/** What to write in place of an entry that browsers ignore; null if they honor it. */
function remedyOf(entry: Entry): string | null {
  if (entry instanceof Token) {
    const text = entry.toString();
    if (text === '*' || text === 'self') return null;
    return /[.:]/.test(text)
      ? 'an origin needs double quotes'
      : text === 'none'
        ? 'write ()'
        : 'write self, * or an origin';
  }
  if (typeof entry !== 'string') return 'write (), (self) or *';
  if (['self', '*'].includes(entry)) return `write ${entry} without quotes`;
  return /^https?:\/\/[^/?#\s]+\/?$|^wss?:\/\/[^/?#\s]+$/i.test(entry)
    ? null
    : 'write an origin, such as "https://example.com"';
}
