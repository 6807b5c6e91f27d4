/** Texts that stand for a value, and those that are one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fillers, placeholders } from '../../../src/lookups/rdap/data/placeholders.ts';
import { isPlaceholder, isStated } from '../../../src/lookups/rdap/placeholder.ts';
import { domainSummary } from '../../../src/lookups/rdap/summary.ts';
import { roundsOf } from '../../random.ts';

const withheld = [
  'REDACTED FOR PRIVACY',
  'Redacted for Privacy Purposes',
  'redacted.forprivacy',
  'REDACTED | EU Data Subject',
  'REDACTED REDACTED',
  'Data Redacted',
  '[Data Protected]',
  'GDPR Masked',
  'NOT DISCLOSED!',
  'Not Disclosed Not Disclosed',
  'Statutory Masking Enabled',
  'Non-Public Data',
  'Private person',
  'Private Person.',
  'Hidden upon user request',
  'Registration Private',
  'Not available from Registry',
  'Ano Nymous',
  '[PRIVATE]',
  'Withheld for Privacy Purposes',
  'Personal data, can not be publicly disclosed according to applicable laws.',
];
const absent = ['-', '.', 'N/A', 'n/a', 'None', 'Not applicable', 'NOT AVAILABLE', 'Unknown', '***'];
const real = [
  'Redacted Solutions LLC',
  'Hidden Valley Farms',
  'Private Bank of Example',
  'Withheld for Privacy ehf',
  'Privacy service provided by Withheld for Privacy ehf',
  'Domains By Proxy, LLC',
  'Contact Privacy Inc. Customer 0123456789',
  'Data Protection Authority',
  'Masked Singer Productions',
  'Unknown Pleasures Ltd',
  'None of Your Business GmbH',
  'Anonymous Coffee',
  'Persons Unlimited',
  'Registrant',
  'Ünlü A.Ş.',
  '株式会社例',
];

test('recognizes placeholders of registries and registrars, and no names', () => {
  for (const text of withheld) assert.deepEqual([isPlaceholder(text), isStated(text)], [true, false], text);
  for (const text of absent) assert.deepEqual([isPlaceholder(text), isStated(text)], [false, false], text);
  for (const text of real) assert.deepEqual([isPlaceholder(text), isStated(text)], [false, true], text);
});

test('the case, punctuation and words around a placeholder do not matter, but any other word makes it a name', () => {
  const words = fc.array(fc.constantFrom(...fillers), { maxLength: 3 });
  const value = fc.record({
    phrase: fc.constantFrom(...Object.keys(placeholders)),
    before: words,
    after: words,
    separator: fc.constantFrom(' ', '-', ' | ', ', ', '  '),
    isUpper: fc.boolean(),
  });
  fc.assert(
    fc.property(value, ({ phrase, before, after, separator, isUpper }) => {
      const text = [...before, phrase, ...after].join(separator);
      assert.ok(isPlaceholder(isUpper ? text.toUpperCase() : text), text);
      for (const other of ['Example', 'GmbH', '7'])
        assert.ok(isStated([other, text].join(separator)) && isStated([text, other].join(separator)), text);
    }),
    { numRuns: roundsOf(2000) },
  );
});

test('a registrant with a placeholder in any value, or a status that says so, is redacted', () => {
  const registrantOf = (properties: readonly unknown[], more: object = {}) =>
    domainSummary({ entities: [{ roles: ['registrant'], vcardArray: ['vcard', properties], ...more }] }).registrant;
  const name = (text: string) => ['fn', {}, 'text', text];
  const org = (text: string) => ['org', {}, 'text', text];
  const adr = (...parts: unknown[]) => ['adr', {}, 'text', parts];
  for (const text of withheld)
    assert.deepEqual(
      registrantOf([name(text)]),
      { name: null, organization: null, country: null, redacted: true },
      text,
    );
  for (const text of absent)
    assert.deepEqual(
      registrantOf([name(text)]),
      { name: null, organization: null, country: null, redacted: false },
      text,
    );
  for (const text of real) assert.deepEqual(registrantOf([name(text)])?.redacted, false, text);
  assert.deepEqual(registrantOf([name('Example'), ['email', {}, 'text', 'REDACTED FOR PRIVACY']]), {
    name: 'Example',
    organization: null,
    country: null,
    redacted: true,
  });
  for (const property of [
    ['tel', {}, 'uri', 'tel:REDACTED'],
    ['email', {}, 'text', 'Please ask the registrar for the address'],
  ])
    assert.equal(registrantOf([name('Example'), property])?.redacted, true, `${property[3]}`);
  assert.equal(registrantOf([name('Example'), ['email', {}, 'text', 'mailto:a@example.com']])?.redacted, false);
  const address = adr('', '', ['REDACTED FOR PRIVACY', 'REDACTED FOR PRIVACY'], 'REDACTED FOR PRIVACY', '', '', 'FI');
  assert.deepEqual(registrantOf([org('Example Oy'), address])?.redacted, true);
  assert.equal(registrantOf([org('Example Oy'), address])?.country, 'FI');
  assert.equal(registrantOf([adr('', '', '', '', '', '', 'REDACTED FOR PRIVACY')])?.country, null);
  for (const status of ['private', 'Removed', 'obscured'])
    assert.equal(registrantOf([name('Example')], { status: [status] })?.redacted, true, status);
  for (const status of ['active', 'proxy', 'validated'])
    assert.equal(registrantOf([name('Example')], { status: [status] })?.redacted, false, status);
});
