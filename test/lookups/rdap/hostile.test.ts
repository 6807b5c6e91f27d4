/** For any response of a registry, a lookup ends soon: with a valid result or an error of the service. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { ServiceError } from '../../../src/core/errors.ts';
import { parseBootstrapFile } from '../../../src/lookups/rdap/bootstrap.ts';
import { isObject } from '../../../src/lookups/rdap/json.ts';
import { rdap } from '../../../src/lookups/rdap/rdap.ts';
import { RdapResult } from '../../../src/lookups/rdap/rdap-result.ts';
import { mulberry32 } from '../../random.ts';
import { fixture, registries, respondWith, root } from './fixtures.ts';

const paths = globSync('*/**/{domain,ip,autnum}/**/*.json', { cwd: root }).map((file) => file.replace(/\.json$/, ''));

const queryOf = (path: string) => decodeURIComponent(path.replace(/^.*\/(domain|ip|autnum)\//, ''));

const lookUp = (q: string, body: string | object) =>
  rdap(q, registries(() => respondWith(200, body)).platform, 'Seenby/1.0');

const random = mulberry32(9083);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const strange = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  ' ',
  'x',
  'ok',
  '2026-13-45',
  '9999-12-31T23:59:59-12:00',
  'http://',
  'tel:',
  '::',
  [],
  [[]],
  [null],
  {},
  { toString: 1, valueOf: 1 },
  '\ud800',
  'REDACTED FOR PRIVACY',
] as const;

/** One random change: removes, retypes, nests or duplicates a member. */
function mutate(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || random() < 0.15) {
    const nest = () => pick([[node], { a: node }, [node, node], [[node]]]);
    return random() < 0.5 ? structuredClone(pick(strange)) : nest();
  }
  const keys = Object.keys(node);
  if (keys.length === 0) return pick(strange);
  const key = pick(keys);
  if (Array.isArray(node)) {
    const copy: unknown[] = [...node];
    if (random() < 0.2) copy.splice(Number(key), 1);
    else copy[Number(key)] = mutate(copy[Number(key)]);
    return copy;
  }
  const copy: Record<string, unknown> = { ...node };
  if (random() < 0.2) delete copy[key];
  else copy[key] = mutate(copy[key]);
  return copy;
}

/** Members that identify the object of a record. */
const identityOf = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => identifying.includes(name)));
const identifying = [
  'objectClassName',
  'ldhName',
  'unicodeName',
  'startAddress',
  'endAddress',
  'startAutnum',
  'endAutnum',
];

test('matches its schema for 6,000 random mutations of registry responses', async () => {
  assert.ok(paths.length > 12);
  let results = 0;
  for (const path of paths) {
    const original = fixture(path);
    for (let round = 0; round < 6000 / paths.length; round++) {
      let body: unknown = original;
      for (let changes = Math.ceil(random() * 6); changes > 0; changes--) body = mutate(body);
      // Most results need the identity of the record, which is verified.
      if (isObject(body) && random() < 0.9) body = { ...body, ...identityOf(original) };
      try {
        RdapResult.strict().parse(await lookUp(queryOf(path), JSON.stringify(body)));
        results++;
      } catch (error) {
        assert.ok(error instanceof ServiceError, `${JSON.stringify(body)} ${(error as Error).stack}`);
      }
    }
  }
  assert.ok(results > 3000, `${results} results`);
});

test('matches its schema if any member has an unexpected value', async () => {
  for (const path of paths) {
    const original = fixture(path);
    const identity = Object.keys(identityOf(original));
    for (const key of Object.keys(original).filter((name) => !identity.includes(name))) {
      for (const value of strange)
        RdapResult.strict().parse(await lookUp(queryOf(path), { ...original, [key]: value }));
    }
  }
});

test('ignores members named like those of Object.prototype', async () => {
  const text =
    '{"ldhName":"example.com","__proto__":{"handle":"x"},"constructor":1,"toString":null,"hasOwnProperty":[]}';
  const { summary } = await lookUp('example.com', text);
  assert.equal(summary.handle, null);
});

const mebibyte = 2 ** 20;
const filled = (head: string, item: string, tail: string) =>
  head +
  Array(Math.floor((mebibyte - head.length - tail.length) / (item.length + 1)))
    .fill(item)
    .join(',') +
  tail;

// With the queried name, so that the summary reads the rest.
const domain = '{"objectClassName":"domain","ldhName":"example.com",';
const hostile: Readonly<Record<string, string>> = {
  'half a million brackets': '['.repeat(mebibyte / 2) + ']'.repeat(mebibyte / 2),
  'brackets that never close': `${domain}"a":${'{"a":'.repeat(200_000)}`,
  'a string that never ends': `${domain}"a":"${'\\"'.repeat(mebibyte / 2 - 50)}`,
  'half a million entities': filled(`${domain}"entities":[`, '{}', ']}'),
  'entities with every role': filled(
    `${domain}"entities":[`,
    '{"roles":["registrar","abuse","registrant"],"entities":[{"roles":"abuse"}]}',
    ']}',
  ),
  'cards with many properties': filled(
    `${domain}"entities":[`,
    `{"roles":["abuse"],"vcardArray":["vcard",[${Array(200).fill('["tel",{"type":"fax"},"",""]').join(',')}]]}`,
    ']}',
  ),
  'one card with a long name': `${domain}"entities":[{"roles":["registrar"],"vcardArray":["vcard",[["fn",{},"text","${'-'.repeat(mebibyte - 200)}"]]]}]}`,
  'many status values': filled(`${domain}"status":[`, '"aA"', ']}'),
  'a long status value': `${domain}"status":"${'aA'.repeat(mebibyte / 2 - 50)}"}`,
  'a status value of spaces': `${domain}"status":"a${' '.repeat(mebibyte - 200)}a"}`,
  'many events': filled(`${domain}"events":[`, '{"eventAction":"registration","eventDate":"x"}', ']}'),
  'a long date': `${domain}"events":[{"eventAction":"registration","eventDate":"2026-01-01T00:00:00.${'1'.repeat(mebibyte - 200)}"}]}`,
  'many nameservers': filled(`${domain}"nameservers":[`, '{"ldhName":"a"}', ']}'),
  'a long name': `${domain}"ldhName":"${'a.'.repeat(mebibyte / 2 - 50)}"}`,
  'many links': filled(`${domain}"links":[`, '{"rel":"related","href":"https://a"}', ']}'),
  'many numbers': filled(`${domain}"a":[`, '0', ']}'),
  'many members': `${domain}${Array.from({ length: 60_000 }, (_, at) => `"member${at}":0`).join(',')}}`,
};
for (const [what, body] of Object.entries(hostile)) {
  test(`is done soon with ${what}`, async () => {
    assert.ok(body.length <= mebibyte + 1000);
    const startMs = performance.now();
    try {
      RdapResult.parse(await lookUp('example.com', body));
    } catch (error) {
      assert.ok(error instanceof ServiceError, String(error));
    }
    const elapsedMs = performance.now() - startMs;
    assert.ok(elapsedMs < 2000, `${Math.round(elapsedMs)} ms`);
  });
}

test('reads or rejects hostile bootstrap files in bounded time', () => {
  const startMs = performance.now();
  for (const item of ['[]', '[["com"],["https://a.example/"]]', '{}', '0', '[["a","b","c"],[1,2,3]]'])
    parseBootstrapFile(filled('{"services":[', item, ']}'));
  assert.ok(performance.now() - startMs < 5000);
});
