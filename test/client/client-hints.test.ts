/** Sec-CH-UA* request headers, read as RFC 9651 structured fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseItem, parseList } from 'structured-headers';
import { acceptClientHints, clientHints, withoutGrease } from '../../src/client/client-hints.ts';
import { check } from '../random.ts';

const none = clientHints({});

test('reads every hint of Chrome on Windows', () => {
  const brands = '"Chromium";v="154", "Google Chrome";v="154", "Not)A;Brand";v="24"';
  const versions = '"Chromium";v="154.0.7912.51", "Google Chrome";v="154.0.7912.51", "Not)A;Brand";v="24.0.0.0"';
  assert.deepEqual(
    clientHints({
      'sec-ch-ua': brands,
      'sec-ch-ua-full-version-list': versions,
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': '"Windows"',
      'sec-ch-ua-platform-version': '"19.0.0"',
      'sec-ch-ua-model': '""',
      'sec-ch-ua-arch': '"x86"',
      'sec-ch-ua-bitness': '"64"',
      'sec-ch-ua-form-factors': '"Desktop"',
    }),
    {
      brands: [
        { brand: 'Chromium', version: '154' },
        { brand: 'Google Chrome', version: '154' },
        { brand: 'Not)A;Brand', version: '24' },
      ],
      fullVersionList: [
        { brand: 'Chromium', version: '154.0.7912.51' },
        { brand: 'Google Chrome', version: '154.0.7912.51' },
        { brand: 'Not)A;Brand', version: '24.0.0.0' },
      ],
      mobile: false,
      platform: 'Windows',
      platformVersion: '19.0.0',
      model: null,
      architecture: 'x86',
      bitness: '64',
      formFactors: ['Desktop'],
    },
  );
});

test('ignores malformed, empty and too long values, and those of another type', () => {
  for (const field of [
    '',
    'Chromium',
    'Chromium;v="154"',
    '"Chromium"',
    '"Chromium";v=154',
    '"Chromium";v="154',
    '"Chromium";v="154",',
    '("Chromium" "Google Chrome");v="154"',
    '"Chrömium";v="154"',
    '\ud800',
    '"a";v="1", '.repeat(10_000),
    `"${'a'.repeat(2_000)}";v="1"`,
  ]) {
    assert.equal(clientHints({ 'sec-ch-ua': field }).brands, null, field.slice(0, 40));
  }
  for (const field of ['', 'Windows', '"Windows', '"Windows", "Windows"', '?1', '""', '5', '"a\u0000b"']) {
    assert.equal(clientHints({ 'sec-ch-ua-platform': field }).platform, null, field);
  }
  for (const field of ['', '1', 'true', '"?1"', '?2', '?1, ?1']) {
    assert.equal(clientHints({ 'sec-ch-ua-mobile': field }).mobile, null, field);
  }
  assert.deepEqual(clientHints({ 'sec-ch-ua-form-factors': '"Desktop", Mobile' }), none);
});

test('recognizes GREASE brands with any punctuation', () => {
  const separators = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
  const grease = separators.map((left, i) => `Not${left}A${separators[(i + 1) % separators.length]}Brand`);
  for (const brand of [...grease, ' Not A;Brand', '(Not(A:Brand', ';Not A Brand', '\\Not"A;Brand']) {
    assert.deepEqual(withoutGrease([{ brand, version: '99' }]), [], brand);
  }
  const genuine = ['Chromium', 'Google Chrome', 'Microsoft Edge', 'Opera', 'Brave', 'Notable Brand'];
  const brands = genuine.map((brand) => ({ brand, version: '1' }));
  assert.deepEqual(withoutGrease(brands), brands);
});

test('requests exactly the hints that it reads and that browsers send only on request', () => {
  const read = new Set<string>();
  clientHints(
    new Proxy(
      {},
      {
        get(_, name) {
          read.add(String(name));
        },
      },
    ),
  );
  for (const unasked of ['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform']) read.delete(unasked);
  assert.deepEqual(new Set(acceptClientHints.toLowerCase().split(', ')), read);
});

test('agrees with a general parser of structured fields', () => {
  const originals = ['"Chromium";v="154", "Not)A;Brand";v="24.0.0.0"', '"a b";v=""', '"";v="1"', '"a";v="1","b";v="2"'];
  const pieces = ['"', ';', 'v', '=', ',', ' ', '\\', '?', '1', 'é', '\t', '(', ''];
  const change = fc.record({ at: fc.nat(), piece: fc.constantFrom(...pieces), replaced: fc.nat(1) });
  const changed = fc.record({ original: fc.constantFrom(...originals), changes: fc.array(change, { maxLength: 2 }) });
  let plain = 0;
  const rounds = check(20_000, changed, ({ original, changes }) => {
    let field = original;
    for (const { at, piece, replaced } of changes) {
      const place = at % field.length;
      field = field.slice(0, place) + piece + field.slice(place + replaced);
    }
    // As HTTP does (RFC 9110 §5.5).
    field = field.trim();
    assert.deepEqual(clientHints({ 'sec-ch-ua': field }).brands, generalBrands(field), JSON.stringify(field));
    const start = field.slice(0, 12).trim();
    const { platform } = clientHints({ 'sec-ch-ua-platform': start });
    assert.equal(platform, generalString(start), JSON.stringify(start));
    if (platform !== null) plain += 1;
  });
  assert.ok(plain > 0.005 * rounds, `${plain} of ${rounds}`);
});

function generalBrands(field: string): unknown {
  try {
    const brands = parseList(field).map(([brand, parameters]) => ({
      brand,
      version: (parameters as Map<string, unknown>).get('v'),
    }));
    const named = brands.every(({ brand, version }) => typeof brand === 'string' && typeof version === 'string');
    return named && brands.length > 0 ? brands : null;
  } catch {
    return null;
  }
}

function generalString(field: string): unknown {
  try {
    const [value] = parseItem(field);
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}
