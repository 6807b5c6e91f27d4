/** DNS messages in the light library: a query that dns-packet reads, and the records of a response. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import { encodeDnsQuery, parseDnsResponse } from '../../../src/lookups/light/light.ts';
import { encodeResponse } from '../dns/messages.ts';

const name = 'example.com';

test('encodes a query, and rejects names that no message can contain', () => {
  assert.deepEqual(decode(Buffer.from(encodeDnsQuery(name, 'MX'))).questions, [{ name, type: 'MX', class: 'IN' }]);
  for (const wrong of ['', 'a..b', `${'a'.repeat(64)}.example`, 'a.'.repeat(130), 'z\u0142oty.example', 'a b.example'])
    assert.throws(() => encodeDnsQuery(wrong, 'A'), RangeError);
  assert.deepEqual(
    decode(Buffer.from(encodeDnsQuery('_dmarc.xn--zoty-6ya.example', 'TXT'))).questions?.[0]?.name,
    '_dmarc.xn--zoty-6ya.example',
  );
});

test('names the types instead of a query for another one', () => {
  for (const wrong of ['mx', 'ANY', 'toString', 15, undefined] as never[]) {
    assert.throws(() => encodeDnsQuery(name, wrong), {
      name: 'TypeError',
      message: /^encodeDnsQuery: the type must be one of A, AAAA, /,
    });
    assert.throws(() => parseDnsResponse(Uint8Array.of(), name, wrong), {
      name: 'TypeError',
      message: /^parseDnsResponse: the type must be one of/,
    });
  }
});

test('reads the records of a response, formatted as in /api/dns', () => {
  const data = Buffer.from('00010000010003026833', 'hex');
  const answers = [{ name, type: 'HTTPS', ttl: 60, data }] as never;
  const bytes = encodeResponse({ name, type: 'HTTPS', dnssec: true, answers });
  const found = parseDnsResponse(bytes, 'Example.com', 'HTTPS');
  assert.deepEqual([found?.rcode, found?.authentic], [0, true]);
  assert.equal(found?.records[0]?.data, '1 . alpn=h3');
  assert.equal(parseDnsResponse(bytes, name, 'A'), null);
  assert.equal(parseDnsResponse(bytes.subarray(0, 20), name, 'HTTPS'), null);
});
