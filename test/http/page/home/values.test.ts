/** The start page stays about as large as an ordinary one, whatever the client sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRows } from '../../../../src/http/page/home/values.ts';
import { seenAll } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

/** The page for a client that sends these headers besides its ordinary ones. */
function pageWith(headers: Readonly<Record<string, string>>): string {
  const all = { ...seenAll.headers, ...headers };
  const headerFields = Object.entries(all);
  return pageAt('/', { ...seenAll, headers: all, handshake: { ...seenAll.handshake, headerFields } });
}

const manyHeaders = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`h${at}`, value]));

const elementsIn = (page: string): number => page.match(/<[a-z]/g)?.length ?? 0;
const ordinary = pageWith({});

test(`shows ${maxRows} headers, and says how many more there are`, () => {
  const rowsIn = (page: string) => page.match(/<li id="headers\./g)?.length;
  const page = pageWith(manyHeaders(1_850, ''));
  assert.equal(rowsIn(page), maxRows);
  const more = 1_850 + Object.keys(seenAll.headers).length - maxRows;
  assert.ok(page.includes(`and ${more} more: <a href="/json">the JSON</a> has all of them.`));
  assert.match(page, new RegExp(`<summary>\\d+ of ${maxRows + more + 1} values</summary>`));
  const exact = pageWith(manyHeaders(maxRows - Object.keys(seenAll.headers).length, ''));
  assert.equal(rowsIn(exact), maxRows);
  assert.ok(!exact.includes('more: <a href="/json">'));
});

const large: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1,850 empty headers': manyHeaders(1_850, ''),
  'one header of invisible characters': { cookie: '\u202e'.repeat(15_000) },
  '300 headers of invisible characters': manyHeaders(300, '\u200b'.repeat(52)),
  'a name of 15,000 characters': { ['n'.repeat(15_000)]: 'v' },
  'a value that is escaped': { cookie: '"<&>'.repeat(3_750) },
  'a User-Agent of 15,000 characters': { 'user-agent': 'Mozilla/5.0 (a) b/1 '.repeat(750) },
};

for (const [name, headers] of Object.entries(large))
  test(`a request with ${name} does not make a page many times as large`, () => {
    const page = pageWith(headers);
    // A row has 7 elements, and there is one list of names beside the rows; of invisible characters, 20 of a text are elements.
    assert.ok(elementsIn(page) - elementsIn(ordinary) < 8 * maxRows + 60 * maxRows, `${elementsIn(page)} elements`);
    assert.ok(page.length < 5 * ordinary.length, `${page.length} characters`);
  });

test('long lists of a fingerprint are cut', () => {
  const suites = '1301'.repeat(700);
  const length = (bytes: number) => bytes.toString(16).padStart(4, '0');
  const hello = `0303${'00'.repeat(33)}${length(suites.length / 2)}${suites}0100`;
  const page = pageAt('/', {
    ...seenAll,
    handshake: { ...seenAll.handshake, clientHello: Buffer.from(hello, 'hex') },
  });
  assert.match(page, /and 600 more/);
});
