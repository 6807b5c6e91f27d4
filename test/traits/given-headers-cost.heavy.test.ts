/** Time that long and hostile header values take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerTraits } from '../../src/traits/header-traits.ts';
import { cpuClock, momentMs } from '../cpu-time.ts';

const nowMs = Date.parse('2026-11-21');
const traits = (headers: Record<string, string>) =>
  headerTraits({ headers, own: false, https: null, http2: null, ip: null, nowMs, handshake: null });

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
