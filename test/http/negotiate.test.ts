/** The representation follows `format`, then Accept (RFC 9110 §12.5.1). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Format, negotiate } from '../../src/http/negotiate.ts';

const resourceFormats: readonly Format[] = ['json', 'text'];
const homeFormats: readonly Format[] = ['text', 'html'];
const chrome =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function choose(offered: readonly Format[], accept: string | null, ...parameter: string[]): Format {
  const query = parameter.map((value) => `format=${encodeURIComponent(value)}`).join('&');
  return negotiate(offered, { query, headers: accept === null ? {} : { accept } });
}

/** Accept, the format of a JSON endpoint, the format of `/`. */
const rows: readonly [accept: string | null, resource: Format, home: Format][] = [
  [null, 'json', 'text'],
  ['', 'json', 'text'],
  ['*/*', 'json', 'text'],
  ['*/*;q=0.1', 'json', 'text'],
  ['*/*;q=0', 'json', 'text'],
  [chrome, 'json', 'html'],
  [firefox, 'json', 'html'],
  ['application/json', 'json', 'text'],
  ['application/json, text/plain, */*', 'json', 'text'],
  ['text/plain, application/json', 'json', 'text'],
  ['application/json;q=0.5, text/plain;q=0.5', 'json', 'text'],
  ['application/json;q=0.5, text/plain;q=0.6', 'text', 'text'],
  ['application/json;q=0.501, text/plain;q=0.5', 'json', 'text'],
  ['application/json;q=0.500, text/plain;q=0.501', 'text', 'text'],
  ['application/json;q=0, text/plain;q=0.001', 'text', 'text'],
  ['application/json;q=0, text/plain;q=0', 'json', 'text'],
  ['application/json;q=0, */*', 'text', 'text'],
  ['text/plain', 'text', 'text'],
  ['TEXT/Plain', 'text', 'text'],
  ['text/plain; charset=utf-8', 'text', 'text'],
  ['text/plain;q=0', 'json', 'text'],
  ['text/plain, */*', 'json', 'text'],
  ['text/plain, */*;q=0.9', 'text', 'text'],
  ['text/plain;q=0.5, */*', 'json', 'text'],
  ['text/*', 'text', 'text'],
  ['text/*;q=0.5, application/*;q=0.4', 'text', 'text'],
  ['text/*;q=0.4, application/*;q=0.5', 'json', 'text'],
  ['text/*, application/json', 'json', 'text'],
  // The most specific range counts, not the highest quality.
  ['text/*, text/plain;q=0.1, application/json;q=0.2', 'json', 'text'],
  ['text/*;q=0.1, text/plain;q=0.9, application/json;q=0.5', 'text', 'text'],
  ['*/*, application/*;q=0.1, text/*;q=0.2', 'text', 'text'],
  ['text/html', 'json', 'html'],
  ['TEXT/HTML', 'json', 'html'],
  ['text/html;charset=utf-8', 'json', 'html'],
  ['text/html;q=0', 'json', 'text'],
  ['text/html;q=0.0', 'json', 'text'],
  ['text/html;q=0, */*', 'json', 'text'],
  ['text/html;q=0.001', 'json', 'html'],
  ['text/html, text/plain', 'text', 'html'],
  ['text/plain, text/html', 'text', 'html'],
  ['text/html;q=0.5, text/plain', 'text', 'text'],
  ['text/html;q=0.9, text/plain;q=0.8', 'text', 'html'],
  ['text/html;q=0.5, */*', 'json', 'text'],
  ['text/html;q=0.5, */*;q=0.5', 'json', 'html'],
  ['application/xhtml+xml', 'json', 'text'],
  ['image/avif,image/webp,*/*;q=0.8', 'json', 'text'],
  ['application/dns-json', 'json', 'text'],
  ['application/vnd.api+json', 'json', 'text'],
  ['text/html;q="0"', 'json', 'text'],
  // Invalid: the defaults.
  [',', 'json', 'text'],
  [';;;,,,===', 'json', 'text'],
  ['text', 'json', 'text'],
  ['/', 'json', 'text'],
  ['text/', 'json', 'text'],
  ['\u0000\u00ff', 'json', 'text'],
];

describe('by Accept', () => {
  for (const [accept, resource, home] of rows) {
    test(`it is ${resource}, and ${home} at /: ${JSON.stringify(accept)}`, () => {
      assert.equal(choose(resourceFormats, accept), resource);
      assert.equal(choose(homeFormats, accept), home);
    });
  }

  test('spaces around every part are allowed', () => {
    assert.equal(choose(resourceFormats, ' application/json ; q=0.1 ,\ttext/plain ; q=0.9 '), 'text');
    assert.equal(choose(homeFormats, 'text/plain ; q=0.1 , text/html ; q=0.9'), 'html');
  });

  test('a weight may follow other parameters, in upper or lower case', () => {
    assert.equal(choose(resourceFormats, 'text/plain;format=flowed;q=0.2, application/json;q=0.3'), 'json');
    assert.equal(choose(resourceFormats, 'text/plain;Q=0.2, application/json;q=0.3'), 'json');
  });

  test('it has no effect if there is only one format', () => {
    for (const accept of [null, 'application/json', 'text/plain;q=0', chrome]) {
      assert.equal(choose(['text'], accept), 'text');
      assert.equal(choose(['html'], accept), 'html');
    }
  });

  test('16 KB of Accept, valid or not, are read', () => {
    const many = 'x/y;q=0.5,'.repeat(1600);
    assert.equal(choose(resourceFormats, `${many}text/plain`), 'text');
    assert.equal(choose(homeFormats, `${many}text/html`), 'html');
    for (const garbage of [',', ';', '"', '=', '\\"', ' ', 'q=', 'a/b;c="', '*/']) {
      const accept = garbage.repeat(16_384 / garbage.length);
      assert.equal(choose(resourceFormats, accept), 'json', garbage);
      assert.equal(choose(homeFormats, accept), 'text', garbage);
    }
  });
});

describe('by the format parameter', () => {
  const parameters: readonly [given: readonly string[], format: Format | 'invalid_format'][] = [
    [['json'], 'json'],
    [['text'], 'text'],
    [['text', 'text'], 'text'],
    [['json', 'text'], 'invalid_format'],
    [['text', 'xml'], 'invalid_format'],
    [[''], 'invalid_format'],
    [['json', ''], 'invalid_format'],
    [['JSON'], 'invalid_format'],
    [[' json'], 'invalid_format'],
    [['html'], 'invalid_format'],
    [['json,text'], 'invalid_format'],
    [['__proto__'], 'invalid_format'],
    [['x'.repeat(10_000)], 'invalid_format'],
  ];
  for (const [given, format] of parameters) {
    test(`it overrides Accept: ${JSON.stringify(given).slice(0, 40)} is ${format}`, () => {
      for (const accept of [null, 'text/plain', 'application/json', chrome]) {
        const negotiated = () => choose(resourceFormats, accept, ...given);
        if (format === 'invalid_format') assert.throws(negotiated, { code: 'invalid_format' });
        else assert.equal(negotiated(), format);
      }
    });
  }

  test('it is ignored if the endpoint offers no JSON', () => {
    assert.equal(choose(homeFormats, null, 'json'), 'text');
    assert.equal(choose(['text'], null, 'xml'), 'text');
  });
});

test('returns text by default if the endpoint lists it first, and JSON only if strictly preferred', () => {
  const valueFormats: readonly Format[] = ['text', 'json'];
  for (const [accept, expected] of [
    [null, 'text'],
    ['*/*', 'text'],
    [chrome, 'text'],
    ['application/json', 'json'],
    ['application/json, text/plain', 'text'],
    ['application/json, text/plain;q=0.9', 'json'],
    ['application/json;q=0.5, */*', 'text'],
    ['text/plain', 'text'],
  ] as const)
    assert.equal(choose(valueFormats, accept), expected, `${accept}`);
  assert.equal(choose(valueFormats, 'text/plain', 'json'), 'json');
  assert.equal(choose(valueFormats, 'application/json', 'text'), 'text');
});
