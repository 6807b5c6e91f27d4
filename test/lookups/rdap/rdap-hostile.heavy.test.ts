/** For any response of a registry, a lookup ends soon: with a valid result or an error of the service. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ServiceError } from '../../../src/core/errors.ts';
import { isObject } from '../../../src/core/json.ts';
import { parseBootstrapFile } from '../../../src/lookups/rdap/bootstrap.ts';
import { rdap } from '../../../src/lookups/rdap/rdap.ts';
import { RdapResult } from '../../../src/lookups/rdap/schema.ts';
import { cpuClock } from '../../cpu-time.ts';
import { type Draw, drawBy, roundsOf } from '../../random.ts';
import { fixture, registries, respondWith, root } from './fixtures.ts';

const paths = globSync('*/**/{domain,ip,autnum}/**/*.json', { cwd: root }).map((file) => file.replace(/\.json$/, ''));

const queryOf = (path: string) => decodeURIComponent(path.replace(/^.*\/(domain|ip|autnum)\//, ''));

const lookUp = (q: string, body: string | object) =>
  rdap(q, registries(() => respondWith(200, body)).platform, 'Seenby/1.0');

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
function mutate(node: unknown, below: Draw): unknown {
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  if (typeof node !== 'object' || node === null || below(100) < 15) {
    const nest = () => pick([[node], { a: node }, [node, node], [[node]]]);
    return below(2) === 0 ? structuredClone(pick(strange)) : nest();
  }
  const keys = Object.keys(node);
  if (keys.length === 0) return pick(strange);
  const key = pick(keys);
  if (Array.isArray(node)) {
    const copy: unknown[] = [...node];
    if (below(5) === 0) copy.splice(Number(key), 1);
    else copy[Number(key)] = mutate(copy[Number(key)], below);
    return copy;
  }
  const copy: Record<string, unknown> = { ...node };
  if (below(5) === 0) delete copy[key];
  else copy[key] = mutate(copy[key], below);
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

test('matches its schema for random mutations of registry responses', async () => {
  assert.ok(paths.length > 12);
  let results = 0;
  const rounds = roundsOf(6000);
  const property = async (below: Draw): Promise<void> => {
    const path = paths[below(paths.length)] ?? '';
    const original = fixture(path);
    let body: unknown = original;
    for (let changes = 1 + below(6); changes > 0; changes--) body = mutate(body, below);
    // Most results need the identity of the record, which is verified.
    if (isObject(body) && below(10) > 0) body = { ...body, ...identityOf(original) };
    try {
      RdapResult.strict().parse(await lookUp(queryOf(path), JSON.stringify(body)));
      results++;
    } catch (error) {
      assert.ok(error instanceof ServiceError, `${JSON.stringify(body)} ${(error as Error).stack}`);
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.gen(), (draw) => property(drawBy(draw))),
    { numRuns: rounds },
  );
  assert.ok(results > rounds / 4, `${results} results in ${rounds} rounds`);
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
    const cpuMs = cpuClock();
    try {
      RdapResult.parse(await lookUp('example.com', body));
    } catch (error) {
      assert.ok(error instanceof ServiceError, String(error));
    }
    assert.ok(cpuMs() < 2000, `${Math.round(cpuMs())} ms`);
  });
}

test('reads or rejects hostile bootstrap files in bounded time', () => {
  const cpuMs = cpuClock();
  for (const item of ['[]', '[["com"],["https://a.example/"]]', '{}', '0', '[["a","b","c"],[1,2,3]]'])
    parseBootstrapFile(filled('{"services":[', item, ']}'));
  assert.ok(cpuMs() < 5000, `${cpuMs()} ms`);
});
