/** Time that long and hostile header values take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenHeaders } from '../../src/traits/given-headers.ts';
import { headerTraits } from '../../src/traits/header-traits.ts';
import { cpuClock, momentMs } from '../cpu-time.ts';

const nowMs = Date.parse('2026-11-21');
const traits = (headers: Record<string, string>) =>
  headerTraits({ headers, own: false, https: null, http2: null, ip: null, nowMs, handshake: null });

const accepted = (given: unknown) => {
  const result = givenHeaders(given);
  assert.ok('headers' in result, JSON.stringify(result));
  return { ...result.headers };
};
const refused = (given: unknown) => {
  const result = givenHeaders(given);
  assert.ok('error' in result);
  assert.match(result.error, /^[A-Z"].*\.$/);
  return result.error;
};

const many = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-header-${i}`, value]));

test('accepts 1,000 names and 64 KB, rejects more', () => {
  assert.equal(Object.keys(accepted(many(1000))).length, 1000);
  assert.deepEqual(refused(many(1001)), 'Send at most 1000 headers, not 1001.');
  assert.ok(accepted({ a: '('.repeat(65_535) }));
  assert.match(refused({ a: '('.repeat(65_536) }), /at most 65536 characters/);
  assert.match(refused({ a: Array(70_000).fill('') }), /at most 65536 characters/);
});

const names = (
  'user-agent accept accept-language sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-ch-ua-full-version-list sec-fetch-site sec-fetch-mode ' +
  'sec-fetch-user sec-fetch-dest x-forwarded-for forwarded x-real-ip via te dnt sec-gpc referer upgrade content-type __proto__ constructor :scheme ' +
  'x-forwarded-proto signature-agent x-operamini-phone mcp-session-id upgrade-insecure-requests'
).split(' ');

test('long and hostile values take linear time', () => {
  const units = [
    '(',
    ')',
    '()',
    '/',
    ' ',
    ',',
    ', ',
    ';',
    '"',
    ':',
    '1.',
    '::',
    'for=',
    '[',
    '%',
    'Chrome/',
    '(a',
    'rv:',
    'Not A ',
    '\t',
    '9',
    '.',
    'Mozilla/5.0 (',
  ];
  for (const unit of units) {
    const long = unit.repeat(Math.floor(65_000 / unit.length));
    for (const name of names) {
      const prefix = name === 'user-agent' ? 'Mozilla/5.0 ' : '';
      const cpuMs = cpuClock();
      traits({
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0',
        [name]: prefix + long,
      });
      // A square of 65,000 would be seconds.
      const tookMs = cpuMs();
      assert.ok(tookMs < momentMs(), `${name} of ${JSON.stringify(unit)} took ${tookMs} ms`);
    }
  }
});
