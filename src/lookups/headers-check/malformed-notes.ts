/** Notes on lines of a response that break the rules of HTTP/1.1 (RFC 9112): which, and what browsers do with them. */
import type { MalformedLine } from '../../core/platform.ts';
import { type Mistake, noteMistakes, rfc } from './note.ts';
import type { Note } from './schema.ts';

type Row = readonly [id: string, link: string, describe: (names: string) => string];

/** What Chromium and Firefox do; test/browser/malformed-response.test.ts shows it. */
const rows: Readonly<Record<MalformedLine['kind'], Row>> = {
  status_line: [
    'malformed-status-line',
    rfc(9112, '4'),
    (line) => `The first line is not valid: ${line}. Browsers differ; send, for example: HTTP/1.1 200 OK.`,
  ],
  folded: [
    'malformed-folded-line',
    rfc(9112, '5.2'),
    (names) =>
      `These headers continue on a second line: ${names}. Browsers join the lines; send each header in one line.`,
  ],
  no_colon: [
    'malformed-no-colon',
    rfc(9112, '5'),
    (lines) =>
      `These lines have no colon: ${lines}. Browsers ignore them; if one belongs to the header before it, write both in one line.`,
  ],
  name: [
    'malformed-name',
    rfc(9110, '5.1'),
    (names) =>
      `These header names contain a space or another character that is not allowed: ${names}. Browsers ignore the headers; correct the names.`,
  ],
  space_before_colon: [
    'malformed-space-before-colon',
    rfc(9112, '5.1'),
    (names) =>
      `These headers have a space before the colon: ${names}. Not every browser reads them, so they are not graded; remove the space.`,
  ],
  line_feed: [
    'malformed-line-feed',
    rfc(9112, '2.2'),
    (names) =>
      `These lines end without a carriage return: ${names}. Browsers accept that; end each line with CR and LF.`,
  ],
  carriage_return: [
    'malformed-carriage-return',
    rfc(9112, '2.2'),
    (names) =>
      `These headers contain a carriage return: ${names}. Browsers differ, so they are not graded; remove the character.`,
  ],
  control_character: [
    'malformed-control-character',
    rfc(9110, '5.5'),
    (names) => `These headers contain a control character: ${names}. Browsers read it as part of the value; remove it.`,
  ],
  null_character: [
    'malformed-null-character',
    rfc(9110, '5.5'),
    (names) =>
      `These headers contain a null character: ${names}. Browsers show an error instead of the page; remove the character.`,
  ],
  lengths: [
    'malformed-length',
    rfc(9112, '6.3'),
    (name) => `${name} has several values. Browsers show an error instead of the page; send one.`,
  ],
  length_repeated: [
    'malformed-length',
    rfc(9112, '6.3'),
    (name) => `${name} is repeated with the same value. Browsers accept that; send it once.`,
  ],
  length_invalid: [
    'malformed-length',
    rfc(9112, '6.3'),
    (name) => `${name} is not a number. Browsers ignore it; send the number of bytes, or no such header.`,
  ],
  length_and_encoding: [
    'malformed-length',
    rfc(9112, '6.1'),
    (name) => `${name} stands beside Transfer-Encoding. Browsers ignore it; send only one of them.`,
  ],
};

const effect = 'Many proxies and programs reject the whole response.';

const mistakes = Object.entries(rows).map(
  ([kind, [id, link, describe]]): Mistake<MalformedLine> => [
    { id, level: 'warning', link },
    (line) => (line.kind === kind ? [line.name] : []),
    (names) => `${describe(names)} ${effect}`,
  ],
);

export const malformedNotes = (lines: readonly MalformedLine[]): Note[] => noteMistakes(mistakes, lines);
